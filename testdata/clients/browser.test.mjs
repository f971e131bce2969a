// A person in a browser: Chromium opens the workspace's page of the running demo,
// reads the card, approves one request, rejects another with a reason, and sees
// what dw paints.
import test from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { binary, workspace, owner, deputy, data } from "./workspace.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

async function browserFor(t) {
  const browser = await chromium.launch({ executablePath, args: flags });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (err) => errors.push(String(err)));
  page.on("console", (m) => { if (m.type() === "error") errors.push(m.text()); });
  t.after(() => assert.deepEqual(errors, [], "the page met errors"));
  return page;
}

// demo plays the worked day until its requests wait for the owner.
async function demo(t) {
  const dir = await mkdtemp(path.join(tmpdir(), "dw-browser-"));
  const child = spawn(binary, ["demo", "--dir", path.join(dir, "day")], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  t.after(async () => { child.kill("SIGTERM"); await ended; await rm(dir, { recursive: true }); });
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (found) resolve(found[0]);
    });
    child.once("exit", (code) => reject(new Error(`the demo ended with ${code} before it named its page`)));
  });
  const deadline = Date.now() + 240_000;
  for (;;) {
    const state = await (await fetch(`${url}/_dev/state`)).json();
    for (const channel of state.channels) {
      const asked = channel.messages.filter((m) => m.text.startsWith("Approval needed"));
      if (asked.length === 3) return { url, channel: channel.id, thread: asked[0].thread_ts };
    }
    assert.ok(Date.now() < deadline, "waited four minutes for three requests");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

test("the owner approves one request of the demo and rejects another in a modal", { timeout: 420_000 }, async (t) => {
  const page = await browserFor(t);
  const { url, channel, thread } = await demo(t);
  page.setDefaultTimeout(60_000);

  await page.goto(`${url}/?channel=${channel}`);
  const card = page.locator("#messages article").filter({ hasText: "31 % short" }).first();
  const text = await card.innerText();
  for (const fact of ["31 % short", "Records produced without", "212", "Mara Lindqvist"]) assert.ok(text.includes(fact), `the card says ${fact}: ${text}`);

  await card.locator("a.replies").click();
  const requests = page.locator("#thread article").filter({ has: page.getByRole("button", { name: "Approve" }) });
  assert.equal(await requests.count(), 3);
  const ids = await requests.evaluateAll((all) => all.map((a) => a.dataset.ts));
  const request = (i) => page.locator(`#thread article[data-ts="${ids[i]}"]`);
  assert.equal(new URL(page.url()).searchParams.get("thread"), thread);

  assert.match(await request(0).innerText(), /Approval needed: P1/);
  await request(0).getByRole("button", { name: "Approve" }).click();
  await request(0).getByText(/approved by/i).first().waitFor();
  const approved = await request(0).innerText();
  assert.ok(approved.includes("Mara Lindqvist") && !approved.includes("Approval needed"), `repainted, with the name: ${approved}`);
  assert.equal(await request(0).getByRole("button", { name: "Approve" }).count(), 0, "a decided request has no button to decide");

  await request(2).getByRole("button", { name: "Reject" }).click();
  const modal = page.getByRole("dialog");
  await modal.waitFor();
  assert.match(await modal.innerText(), /Reject the proposal/);
  await modal.getByRole("button", { name: "Reject" }).click();
  await modal.getByText("Please complete this required field.").waitFor();
  await modal.locator("textarea").fill("the partner's queue must be drained <b>first</b>");
  await modal.getByRole("button", { name: "Reject" }).click();
  await modal.waitFor({ state: "detached" });
  await request(2).getByText(/rejected by/i).first().waitFor();
  const rejected = await request(2).innerText();
  assert.ok(rejected.includes("the partner's queue must be drained <b>first</b>"), `the reason is on the card, as text: ${rejected}`);
  assert.equal(await request(2).getByRole("button", { name: "Approve" }).count(), 0);
  assert.equal(await request(1).getByRole("button", { name: "Approve" }).count(), 1, "the other request still waits");
});

test("the page shows what Slack shows when the app is away, and who each person is", async (t) => {
  const page = await browserFor(t);
  const ws = await workspace(t);
  const posted = await fetch(`${ws.api}chat.postMessage`, {
    method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${ws.botToken}` },
    body: JSON.stringify({ channel: data, text: "Pause?", blocks: [{ type: "actions", elements: [
      { type: "button", action_id: "go", text: { type: "plain_text", text: "Go" } }] }] }),
  });
  assert.equal((await posted.json()).ok, true);
  await page.goto(`${ws.page}/?user=${owner}&channel=${data}`);
  await page.getByText("no app connected").waitFor();
  await page.getByRole("button", { name: "Go" }).click();
  await page.locator("button.failed").waitFor();
  await page.getByLabel("Message or command").fill("/dw status");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText('/dw failed with the error "dispatch_failed"').waitFor();

  await page.getByLabel("You are:").selectOption(deputy);
  await page.waitForURL(/user=U0DEPUTY/);
  await page.getByRole("button", { name: "Go" }).waitFor();
  assert.equal(await page.locator("button.failed").count(), 0, "the sign is for the person who clicked");
  assert.equal(await page.getByText("dispatch_failed").count(), 0, "Slackbot told the owner alone");
});
