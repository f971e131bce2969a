// Slack's Socket Mode client alone, without Bolt's help, and several of them at once.
import test from "node:test";
import assert from "node:assert/strict";
import { SocketModeClient } from "@slack/socket-mode";
import { LogLevel } from "@slack/web-api";
import { WebSocket } from "undici";
import { workspace, inbox, late, owner } from "./workspace.mjs";

async function connect(ws, receive, more = {}) {
  const client = new SocketModeClient({
    appToken: ws.appToken, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl: ws.api }, ...more,
  });
  client.on("slack_event", receive);
  ws.before(() => client.disconnect());
  await client.start();
  return client;
}

test("an envelope is acked with a payload, which the person reads", async (t) => {
  const ws = await workspace(t);
  await connect(ws, ({ ack, body, accepts_response_payload: accepts, envelope_id: id }) => {
    assert.ok(accepts && id);
    return ack({ text: `you said ${body.text}` });
  });
  assert.equal((await ws.command(owner, "hello")).acked, true);
  assert.equal((await ws.state()).ephemerals[owner][0].text, "you said hello");
});

test("ten connections share the envelopes; an eleventh is too many", async (t) => {
  const ws = await workspace(t);
  const counts = new Array(10).fill(0);
  for (let i = 0; i < 10; i++) await connect(ws, ({ ack }) => { counts[i]++; return ack(); });
  await ws.connections(10);
  for (let i = 0; i < 60; i++) assert.equal((await ws.command(owner, `n${i}`)).acked, true);
  assert.equal(counts.reduce((a, b) => a + b), 60, "each envelope goes to exactly one connection");
  assert.ok(counts.filter(Boolean).length >= 5, `spread over ${counts}`);

  const { url } = await (await fetch(`${ws.api}apps.connections.open`, { method: "POST", headers: { Authorization: `Bearer ${ws.appToken}` } })).json();
  const frames = inbox();
  const eleventh = new WebSocket(url);
  eleventh.addEventListener("message", ({ data }) => frames.put(JSON.parse(data)));
  const closed = new Promise((resolve) => eleventh.addEventListener("close", ({ code }) => resolve(code)));
  const first = await frames.next("the first frame");
  assert.deepEqual([first.type, first.reason], ["disconnect", "too_many_websockets"]);
  assert.equal(await closed, 1000);
});

test("a half-open connection is noticed by the client's own ping, and it comes back", async (t) => {
  const ws = await workspace(t, "--ack-timeout", "300ms");
  await connect(ws, ({ ack }) => ack({ text: "here" }), { clientPingTimeout: 500, serverPingTimeout: 2000 });
  await ws.connections(1);
  await ws.fault({ fault: "half_open" });
  assert.equal((await ws.command(owner, "x")).error, "operation_timeout", "nobody is at the other end, and Slack does not know");
  const deadline = Date.now() + 20_000;
  while (!(await ws.command(owner, "again")).acked) assert.ok(Date.now() < deadline, "the client did not come back");
  const state = await ws.state();
  assert.equal(state.ephemerals[owner].at(-1).text, "here");
});

test("an old connection is warned and the client takes a new one", async (t) => {
  const ws = await workspace(t, "--socket-life", "1s");
  const client = await connect(ws, ({ ack }) => ack());
  const again = new Promise((resolve) => client.once("connected", resolve));
  await Promise.race([again, late("the client to connect again")]);
});

test("an ack of 20 KB is dropped without a word, and the person sees a time-out", async (t) => {
  const ws = await workspace(t, "--ack-timeout", "500ms");
  await connect(ws, ({ ack }) => ack({ text: "x".repeat(21_000) }));
  assert.equal((await ws.command(owner, "x")).error, "operation_timeout");
});
