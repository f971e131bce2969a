// Starts dw's local workspace from the built binary and acts in it as its people.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../..");
export const binary = process.env.DW ?? path.join(root, "bin/dw");

// People and channels of `dw slackdev`.
export const owner = "U0OWNER", deputy = "U0DEPUTY", guest = "U0GUEST", gone = "U0GONE", partner = "U0PARTNER", bot = "U0DW";
export const data = "C0DATA", invited = "G0INSIDE", notInvited = "G0SECRET", withPartner = "C0PARTNER";

// workspace starts `dw slackdev` with further flags and stops it when t ends.
export async function workspace(t, ...flags) {
  const child = spawn(binary, ["slackdev", "--listen", "127.0.0.1:0", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const endings = []; // what must end before the workspace does, last started first
  t.after(async () => {
    for (const end of endings.reverse()) await end();
    child.kill("SIGTERM");
    await ended;
  });
  const said = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [key, value] = line.split(/\s+/);
    said[key] = value;
    if (key === "team") break;
  }
  if (!said.page) throw new Error("dw slackdev ended without naming its page");
  return new Workspace(said, endings);
}

class Workspace {
  constructor(said, endings) {
    Object.assign(this, { before: (end) => endings.push(end), page: said.page, api: said.api_url, botToken: said.bot_token, appToken: said.app_token });
  }

  async post(what, body) {
    const answer = await fetch(`${this.page}/_dev/${what}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const out = await answer.json();
    if (!answer.ok) throw new Error(`${what}: ${out.error}`);
    return out;
  }

  command(user, text, channel = data) { return this.post("command", { user, channel, text }); }
  say(user, text, channel = data, ts) { return this.post("say", { user, channel, text, ts }); }
  click(user, ts, action, value, channel = data) { return this.post("click", { user, channel, ts, action, value }); }
  clickInView(user, view, action, value) { return this.post("click", { user, view, action, value }); }
  submit(user, view, values) { return this.post("submit", { user, view, values }); }
  close(user, view) { return this.post("close", { user, view }); }
  home(user) { return this.post("home", { user }); }
  event(event) { return this.post("event", { event }); }
  fault(body) { return this.post("fault", body); }
  change(body) { return this.post("change", body); }
  async state() { return (await fetch(`${this.page}/_dev/state`)).json(); }

  // until polls the workspace until found returns something true, and returns it.
  async until(what, found) {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const got = found(await this.state());
      if (got) return got;
      if (Date.now() > deadline) throw new Error(`waited 20 s for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async messages(channel = data) {
    const all = await this.state();
    return all.channels.find((c) => c.id === channel)?.messages ?? [];
  }

  connections(n) { return this.until(`${n} connections`, (s) => s.sockets === n); }
}

// inbox collects what happens and hands it out in order.
export function inbox() {
  const waiting = [], got = [];
  return {
    put(item) { const next = waiting.shift(); if (next) next(item); else got.push(item); },
    async next(what = "an item") {
      if (got.length) return got.shift();
      return Promise.race([new Promise((resolve) => waiting.push(resolve)), late(what)]);
    },
    get size() { return got.length; },
  };
}

// late rejects after 20 s; it keeps no process alive.
export function late(what) {
  return new Promise((_, reject) => setTimeout(() => reject(new Error(`waited 20 s for ${what}`)), 20_000).unref());
}
