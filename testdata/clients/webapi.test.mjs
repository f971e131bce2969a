// Slack's own Web API client meets the local workspace's refusals, limits and
// faults, and understands each of them as it would Slack's.
import test from "node:test";
import assert from "node:assert/strict";
import slack from "@slack/web-api";
import { workspace, owner, deputy, guest, gone, partner, bot, data, invited, notInvited } from "./workspace.mjs";

const { WebClient, ErrorCode, LogLevel, retryPolicies, WebClientEvent } = slack;

function client(ws, token = ws.botToken, more = {}) {
  return new WebClient(token, { slackApiUrl: ws.api, logLevel: LogLevel.ERROR, retryConfig: { retries: 0 }, ...more });
}

// refused runs a call that must be refused with one of Slack's error names.
async function refused(call, name) {
  let met;
  try { await call; } catch (err) { met = err; }
  assert.ok(met, `the call was not refused with ${name}`);
  assert.equal(met.code, ErrorCode.PlatformError, String(met));
  assert.equal(met.data.error, name);
  return met.data;
}

test("every refusal comes as a platform error with Slack's name", async (t) => {
  const ws = await workspace(t);
  const api = client(ws);
  const { ts } = await api.chat.postMessage({ channel: data, text: "root" });
  const { message } = await api.chat.postMessage({ channel: data, text: "reply", thread_ts: ts });
  const cases = [
    [() => api.chat.postMessage({ channel: "C0NOWHERE", text: "x" }), "channel_not_found"],
    [() => api.chat.postMessage({ channel: notInvited, text: "x" }), "not_in_channel"],
    [() => api.conversations.info({ channel: notInvited }), "channel_not_found"],
    [() => api.chat.postMessage({ channel: data, text: "x", thread_ts: message.ts }), "thread_not_found"],
    [() => api.chat.postMessage({ channel: data, text: "x".repeat(40001) }), "msg_too_long"],
    [() => api.chat.update({ channel: data, ts: "1.000001", text: "x" }), "message_not_found"],
    [() => api.chat.postEphemeral({ channel: invited, user: guest, text: "x" }), "user_not_in_channel"],
    [() => api.users.info({ user: "U0NOBODY" }), "user_not_found"],
    [() => api.users.lookupByEmail({ email: "gone@example.com" }), "users_not_found"],
    [() => api.conversations.open({ users: bot }), "cannot_dm_bot"],
    [() => api.conversations.open({ users: gone }), "user_disabled"],
    [() => api.views.open({ trigger_id: "1.2", view: { type: "modal", title: { type: "plain_text", text: "x" }, blocks: [] } }), "invalid_trigger_id"],
    [() => api.conversations.join({ channel: invited }), "method_not_supported_for_channel_type"],
    [() => api.reactions.add({ channel: data, timestamp: ts, name: "not a name" }), "invalid_name"],
    [() => api.files.info({ file: "F0NOWHERE" }), "file_not_found"],
    [() => client(ws, "xoxb-wrong").auth.test(), "invalid_auth"],
    [() => client(ws, ws.botToken).apps.connections.open(), "not_allowed_token_type"],
    [() => api.chat.scheduleMessage({ channel: data, text: "x", post_at: 1 }), "unknown_method"],
  ];
  for (const [call, name] of cases) await refused(call(), name);
  const wrong = await refused(api.chat.postMessage({ channel: data, text: "x", blocks: [{ type: "header", text: { type: "plain_text", text: "x".repeat(151) } }] }), "invalid_blocks");
  assert.match(wrong.response_metadata.messages[0], /151 characters.*json-pointer:\/blocks\/0\/text\/text/);
});

test("people are what they are: member, guest, stranger, closed account, bot", async (t) => {
  const ws = await workspace(t);
  const api = client(ws);
  const facts = async (user) => {
    const { user: u } = await api.users.info({ user });
    return [u.deleted, u.is_bot, u.is_restricted || u.is_ultra_restricted, Boolean(u.is_stranger), u.team_id];
  };
  assert.deepEqual(await facts(owner), [false, false, false, false, "T0LOCAL"]);
  assert.deepEqual(await facts(guest), [false, false, true, false, "T0LOCAL"]);
  assert.deepEqual(await facts(gone), [true, false, false, false, "T0LOCAL"]);
  assert.deepEqual(await facts(partner), [false, false, false, true, "T0PARTNER"]);
  assert.deepEqual(await facts(bot), [false, true, false, false, "T0LOCAL"]);
  const { usergroups } = await api.usergroups.list({ include_users: true });
  assert.deepEqual([usergroups[0].handle, usergroups[0].users], ["data-eng", [owner, deputy]]);
});

test("pages of messages and people come by cursor, through the client's own pager", async (t) => {
  const ws = await workspace(t);
  const api = client(ws);
  for (let i = 0; i < 5; i++) await api.chat.postMessage({ channel: data, text: `m${i}` });
  const texts = [];
  for await (const page of api.paginate("conversations.history", { channel: data, limit: 2 })) texts.push(...page.messages.map((m) => m.text));
  assert.deepEqual(texts, ["m4", "m3", "m2", "m1", "m0"]);
  const people = [];
  for await (const page of api.paginate("users.list", { limit: 3 })) people.push(...page.members);
  assert.equal(people.length, 8);
});

test("a message is deleted, reacted to, and linked", async (t) => {
  const ws = await workspace(t);
  const api = client(ws);
  const { ts } = await api.chat.postMessage({ channel: data, text: "x" });
  await api.reactions.add({ channel: data, timestamp: ts, name: "eyes" });
  await refused(api.reactions.add({ channel: data, timestamp: ts, name: "eyes" }), "already_reacted");
  assert.deepEqual((await ws.messages())[0].reactions, [{ name: "eyes", users: [bot] }]);
  await api.reactions.remove({ channel: data, timestamp: ts, name: "eyes" });
  assert.equal((await ws.messages())[0].reactions, undefined);
  const { permalink } = await api.chat.getPermalink({ channel: data, message_ts: ts });
  assert.equal(permalink, `https://local.slack.com/archives/${data}/p${ts.replace(".", "")}`);
  await api.chat.delete({ channel: data, ts });
  assert.deepEqual(await ws.messages(), []);
});

test("one message a second and channel, with a burst: 429 and Retry-After, which the client obeys", async (t) => {
  const ws = await workspace(t);
  const strict = client(ws, ws.botToken, { rejectRateLimitedCalls: true });
  let limited;
  for (let i = 0; i < 12 && !limited; i++) {
    try { await strict.chat.postMessage({ channel: data, text: `m${i}` }); } catch (err) { limited = err; }
  }
  assert.equal(limited.code, ErrorCode.RateLimitedError);
  assert.equal(limited.retryAfter, 1);
  await strict.chat.postMessage({ channel: invited, text: "another channel has its own second" });
  const patient = client(ws, ws.botToken, { retryConfig: retryPolicies.rapidRetryPolicy });
  const waits = [];
  patient.on(WebClientEvent.RATE_LIMITED, (seconds) => waits.push(seconds));
  await ws.fault({ fault: "rate_limit", method: "users.info", retry_after: 1, times: 1 });
  await patient.users.info({ user: owner });
  assert.deepEqual(waits, [1]);
});

test("HTTP 500 for a while and a cut line are errors of the transport, and retries get through", async (t) => {
  const ws = await workspace(t);
  await ws.fault({ fault: "status", status: 500, seconds: 600 });
  const once = client(ws);
  await assert.rejects(once.auth.test(), (err) => err.code === ErrorCode.HTTPError && err.statusCode === 500);
  await ws.fault({ fault: "heal" });
  assert.equal((await once.auth.test()).user_id, bot);
  await ws.fault({ fault: "lost", method: "chat.postMessage", times: 1 });
  await assert.rejects(once.chat.postMessage({ channel: data, text: "posted, answer lost" }), (err) => err.code === ErrorCode.RequestError);
  assert.equal((await ws.messages()).at(-1).text, "posted, answer lost");
  await ws.fault({ fault: "slow", method: "auth.test", delay_ms: 5000 });
  await assert.rejects(client(ws, ws.botToken, { timeout: 100 }).auth.test(), (err) => err.code === ErrorCode.RequestError);
});

test("a token without a scope is told which one it needs; a revoked one that it is revoked", async (t) => {
  const ws = await workspace(t, "--scopes", "chat:write,users:read");
  const api = client(ws);
  const why = await refused(api.conversations.info({ channel: data }), "missing_scope");
  assert.deepEqual([why.needed, why.provided], ["channels:read", "chat:write,users:read"]);
  assert.deepEqual((await api.auth.test()).response_metadata.scopes, ["chat:write", "users:read"]);
  assert.equal((await api.users.info({ user: owner })).user.profile.email, undefined, "e-mail needs its own scope");
  await ws.change({ change: "remove", channel: data, user: bot });
  await refused(api.chat.postMessage({ channel: data, text: "x" }), "not_in_channel");
  await ws.fault({ fault: "revoke", code: "token_revoked" });
  await refused(api.auth.test(), "token_revoked");
});

test("a channel is archived, renamed by a share, and people leave", async (t) => {
  const ws = await workspace(t);
  const api = client(ws);
  const { channel: id } = await ws.change({ change: "share", channel: invited });
  assert.match(id, /^C/);
  await refused(api.chat.postMessage({ channel: invited, text: "x" }), "channel_not_found");
  await api.chat.postMessage({ channel: id, text: "under the new id" });
  assert.equal((await api.conversations.info({ channel: id })).channel.is_ext_shared, true);
  await ws.change({ change: "archive", channel: id });
  await refused(api.chat.postMessage({ channel: id, text: "x" }), "is_archived");
  await ws.change({ change: "deactivate", user: deputy });
  assert.equal((await api.users.info({ user: deputy })).user.deleted, true);
  const { channels } = await api.conversations.list({ types: "public_channel,private_channel", exclude_archived: true });
  assert.deepEqual(channels.map((c) => c.id), [data, "C0PARTNER"]);
});
