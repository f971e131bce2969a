// A Bolt app in Socket Mode lives in the local workspace: command, button, modal,
// thread, file, Home, events, and a connection that Slack takes away.
import test from "node:test";
import assert from "node:assert/strict";
import bolt from "@slack/bolt";
import { workspace, inbox, owner, deputy, partner, bot, data, withPartner } from "./workspace.mjs";

const { App, LogLevel } = bolt;

const card = [
  { type: "section", block_id: "facts", text: { type: "mrkdwn", text: "*Pause* the job?" } },
  { type: "actions", block_id: "decide", elements: [
    { type: "button", action_id: "approve", style: "primary", value: "p1", text: { type: "plain_text", text: "Approve" } },
    { type: "button", action_id: "reject", style: "danger", value: "p1", text: { type: "plain_text", text: "Reject" } },
  ] },
];

const rejectModal = (metadata) => ({
  type: "modal", callback_id: "reject_reason", private_metadata: metadata, notify_on_close: true,
  title: { type: "plain_text", text: "Reject" }, submit: { type: "plain_text", text: "Reject" },
  blocks: [{ type: "input", block_id: "why", label: { type: "plain_text", text: "Reason" },
    element: { type: "plain_text_input", action_id: "reason", multiline: true } }],
});

// start runs a Bolt app until the test ends; define registers its listeners.
async function start(ws, define) {
  const errors = [];
  const app = new App({
    token: ws.botToken, appToken: ws.appToken, socketMode: true, logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: ws.api },
    installerOptions: { clientOptions: { slackApiUrl: ws.api } },
  });
  app.error(async (err) => { errors.push(err); });
  define(app);
  await app.start();
  await ws.connections(1);
  ws.before(async () => {
    await app.stop();
    assert.deepEqual(errors.map(String), [], "Bolt met errors");
  });
  return app;
}

test("a command is answered in the ack, in private, and again by response_url for all", async (t) => {
  const ws = await workspace(t);
  const seen = inbox();
  await start(ws, (app) => app.command("/dw", async ({ command, ack, respond }) => {
    await ack({ text: "looking" });
    await respond({ response_type: "in_channel", text: `all fresh, ${command.text}` });
    seen.put(command);
  }));
  const out = await ws.command(owner, "/dw status @deputy");
  assert.deepEqual([out.acked, out.error], [true, undefined]);
  const command = await seen.next("the command");
  assert.equal(command.text, `status <@${deputy}|deputy>`);
  assert.equal(command.is_enterprise_install, "false");
  const state = await ws.until("the private answer", (s) => s.ephemerals[owner]?.length && s);
  assert.equal(state.ephemerals[owner][0].text, "looking");
  assert.equal((await ws.messages()).at(-1).text, `all fresh, status <@${deputy}|deputy>`);
});

test("a button repaints its message, a note goes into the thread, a second click is told so in private", async (t) => {
  const ws = await workspace(t);
  const done = inbox();
  let decided = false;
  const app = await start(ws, (app) => app.action("approve", async ({ ack, body, client, respond }) => {
    await ack();
    if (decided) {
      await client.chat.postEphemeral({ channel: body.channel.id, user: body.user.id, text: "decided already" });
    } else {
      decided = true;
      await respond({ replace_original: true, text: `approved by <@${body.user.id}>`, blocks: [card[0]] });
      await client.chat.postMessage({ channel: body.channel.id, thread_ts: body.message.ts, text: "carrying it out" });
    }
    done.put(body);
  }));
  const { ts } = await app.client.chat.postMessage({ channel: data, text: "Pause?", blocks: card });
  assert.equal((await ws.click(owner, ts, "approve")).acked, true);
  const body = await done.next("the click");
  assert.deepEqual([body.actions[0].value, body.container.message_ts, body.user.team_id, body.message.blocks.length], ["p1", ts, "T0LOCAL", 2]);
  const [root, reply] = await ws.messages();
  assert.deepEqual([root.text, root.reply_count, reply.thread_ts, reply.text], [`approved by <@${owner}>`, 1, ts, "carrying it out"]);
  await assert.rejects(ws.click(owner, ts, "approve"), /no element/, "the button is gone with its blocks");

  const second = await app.client.chat.postMessage({ channel: data, text: "Pause?", blocks: card });
  await ws.click(deputy, second.ts, "approve");
  await done.next("the second click");
  assert.equal((await ws.state()).ephemerals[deputy][0].text, "decided already");
});

test("a modal opens on a click, shows an error, updates, and closes; its message is repainted", async (t) => {
  const ws = await workspace(t);
  const closed = inbox();
  const app = await start(ws, (app) => {
    app.action("reject", async ({ ack, body, client }) => {
      await ack();
      await client.views.open({ trigger_id: body.trigger_id, view: rejectModal(JSON.stringify({ channel: body.channel.id, ts: body.message.ts })) });
    });
    app.view("reject_reason", async ({ ack, view, body, client }) => {
      const reason = view.state.values.why.reason.value;
      if (reason.length < 5) return ack({ response_action: "errors", errors: { why: "say more" } });
      const at = JSON.parse(view.private_metadata);
      await ack();
      await client.chat.update({ channel: at.channel, ts: at.ts, text: `rejected by <@${body.user.id}>: ${reason}` });
    });
    app.view({ callback_id: "reject_reason", type: "view_closed" }, async ({ ack, view }) => { await ack(); closed.put(view); });
  });
  const { ts } = await app.client.chat.postMessage({ channel: data, text: "Pause?", blocks: card });
  await ws.click(owner, ts, "reject");
  const modal = () => ws.until("the modal", (s) => s.modals[owner]?.at(-1));
  let view = await modal();
  assert.equal((await ws.submit(owner, view.id, {})).error, "incomplete_input", "the client itself refuses an empty field");
  await ws.submit(owner, view.id, { why: { reason: "no" } });
  assert.deepEqual((await modal()).errors, { why: "say more" });
  assert.equal((await ws.submit(owner, view.id, { why: { reason: "wrong table" } })).acked, true);
  await ws.until("the modal to close", (s) => !s.modals[owner]?.length);
  const repainted = await ws.until("the repainted card", (s) => s.channels[0].messages.find((m) => m.ts === ts && m.text.startsWith("rejected")));
  assert.equal(repainted.text, `rejected by <@${owner}>: wrong table`);
  assert.equal(repainted.blocks, undefined, "text without blocks clears them");

  const next = await app.client.chat.postMessage({ channel: data, text: "Pause?", blocks: card });
  await ws.click(owner, next.ts, "reject");
  view = await modal();
  await ws.close(owner, view.id);
  assert.equal((await closed.next("view_closed")).id, view.id);
});

test("a file is uploaded into a thread and its message comes later", async (t) => {
  const ws = await workspace(t);
  const app = await start(ws, () => {});
  const { ts } = await app.client.chat.postMessage({ channel: data, text: "evidence follows" });
  const answer = await app.client.filesUploadV2({
    channel_id: data, thread_ts: ts, filename: "rows.csv", title: "Rows", initial_comment: "what is short", file: Buffer.from("id,n\n1,31\n"),
  });
  const file = answer.files[0].files[0];
  const shared = await ws.until("the file's message", (s) => s.channels[0].messages.find((m) => m.files));
  assert.deepEqual([shared.thread_ts, shared.text, shared.files[0].id, shared.files[0].title, shared.files[0].size], [ts, "what is short", file.id, "Rows", 10]);
  const bytes = await fetch(`${ws.page}/_dev/file/${file.id}`);
  assert.equal(await bytes.text(), "id,n\n1,31\n");
});

test("Home is published when it is opened", async (t) => {
  const ws = await workspace(t);
  await start(ws, (app) => app.event("app_home_opened", async ({ event, client }) => {
    await client.views.publish({ user_id: event.user, view: { type: "home", blocks: [card[0]] } });
  }));
  assert.equal((await ws.home(owner)).acked, true);
  const home = await ws.until("the Home", (s) => s.homes[owner]);
  assert.equal(home.type, "home");
});

test("messages and mentions reach the app once it subscribes to them", async (t) => {
  const ws = await workspace(t, "--events", "app_mention,message.channels,member_joined_channel,channel_id_changed");
  const seen = inbox();
  await start(ws, (app) => {
    app.message(async ({ message }) => seen.put(["message", message.text, message.channel_type]));
    app.event("app_mention", async ({ event, say }) => {
      await say({ text: "yes?", thread_ts: event.ts });
      seen.put(["mention", event.user, event.channel]);
    });
    app.event("channel_id_changed", async ({ event }) => seen.put([event.old_channel_id, event.new_channel_id]));
  });
  await ws.say(owner, "good morning");
  assert.deepEqual(await seen.next("a message"), ["message", "good morning", "channel"]);
  await ws.say(owner, "@dw how is it");
  const both = [await seen.next("the mention"), await seen.next("the message")].map((e) => e[0]).sort();
  assert.deepEqual(both, ["mention", "message"]);
  await ws.until("an answer in the thread", (s) => s.channels[0].messages.find((m) => m.text === "yes?" && m.thread_ts));
  const shared = await ws.change({ change: "share", channel: "G0INSIDE" });
  assert.deepEqual(await seen.next("the new id"), ["G0INSIDE", shared.channel]);
});

test("a click from another company says so in user.team_id", async (t) => {
  const ws = await workspace(t);
  const seen = inbox();
  const app = await start(ws, (app) => app.action("approve", async ({ ack, body, client }) => {
    await ack();
    const { user } = await client.users.info({ user: body.user.id });
    seen.put([body.user.team_id, body.team.id, user.is_stranger, user.profile.email]);
  }));
  const { ts } = await app.client.chat.postMessage({ channel: withPartner, text: "Pause?", blocks: card });
  await ws.click(partner, ts, "approve", undefined, withPartner);
  assert.deepEqual(await seen.next("the click"), ["T0PARTNER", "T0LOCAL", true, undefined]);
});

test("an app that does not ack in time is seen to fail: the warning sign, Slackbot, the modal", async (t) => {
  const ws = await workspace(t, "--ack-timeout", "300ms");
  let mute = true;
  const app = await start(ws, (app) => {
    app.action(/approve|reject/, async ({ ack }) => { if (!mute) await ack(); });
    app.command("/dw", async () => {});
  });
  const { ts } = await app.client.chat.postMessage({ channel: data, text: "Pause?", blocks: card });
  assert.equal((await ws.click(owner, ts, "approve")).error, "operation_timeout");
  assert.deepEqual((await ws.state()).warnings, [{ user: owner, place: ts, action_id: "approve" }]);
  mute = false;
  await ws.click(owner, ts, "approve");
  assert.deepEqual((await ws.state()).warnings, []);
  assert.equal((await ws.command(owner, "status")).error, "operation_timeout");
  assert.match((await ws.state()).ephemerals[owner][0].text, /^\/dw failed with the error .*operation_timeout/);
});

test("Bolt comes back after a refresh, a warning and a cut, and takes clicks again", async (t) => {
  const ws = await workspace(t);
  const seen = inbox();
  const app = await start(ws, (app) => app.action("approve", async ({ ack, body }) => { await ack(); seen.put(body); }));
  for (const fault of [{ fault: "disconnect", reason: "refresh_requested" }, { fault: "disconnect", reason: "warning" }, { fault: "kill" }]) {
    const before = (await ws.state()).seq;
    await ws.fault(fault);
    await ws.until("a change of connections", (s) => s.seq > before);
    await ws.connections(1);
    const { ts } = await app.client.chat.postMessage({ channel: data, text: "Pause?", blocks: card });
    await assertClicked(ws, ts);
    await seen.next("a click after " + JSON.stringify(fault));
  }
});

// assertClicked clicks until a connection takes it: in the gap of a reconnect the
// person sees the sign and clicks again.
async function assertClicked(ws, ts) {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const out = await ws.click(owner, ts, "approve");
    if (out.acked) return;
    assert.ok(Date.now() < deadline, `the click was not taken: ${JSON.stringify(out)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("a lost ack of an event brings it again under retry_attempt with the same event_id", async (t) => {
  const ws = await workspace(t, "--ack-timeout", "300ms", "--event-retries", "0s,0s,0s");
  const seen = inbox();
  await start(ws, (app) => app.event("app_mention", async ({ body, context }) => seen.put([body.event_id, context.retryNum, context.retryReason])));
  await ws.fault({ fault: "drop_acks", times: 2 });
  const out = await ws.event({ type: "app_mention", user: owner, text: "hi", channel: data, ts: "1.000001", event_ts: "1.000001" });
  assert.equal(out.acked, true);
  const first = await seen.next("the event"), second = await seen.next("the first retry"), third = await seen.next("the second retry");
  assert.equal(new Set([first[0], second[0], third[0]]).size, 1);
  assert.deepEqual([second.slice(1), third.slice(1)], [[1, "timeout"], [2, "timeout"]]);
  assert.equal(bot, "U0DW");
});
