// tsc holds every golden message and modal of dw against the types that Slack
// publishes. It judges shapes, not lengths: those are in slackdev's table.
import test from "node:test";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./workspace.mjs";

const here = import.meta.dirname;
const golden = path.join(root, "blocks/testdata");

// check runs tsc over values, each declared as a type of Slack's, and returns what
// it complains of.
async function check(t, values) {
  const dir = await mkdtemp(path.join(here, "node_modules/.golden-"));
  t.after(() => rm(dir, { recursive: true }));
  const lines = [
    'import type { ChatPostMessageArguments } from "@slack/web-api";',
    'import type { ModalView, HomeView } from "@slack/types";',
    "export type { ChatPostMessageArguments, ModalView, HomeView };",
    ...values.map(({ name, type, value }) => `export const ${name}: ${type} = ${JSON.stringify(value, null, 2)};`),
  ];
  await writeFile(path.join(dir, "golden.ts"), lines.join("\n"));
  const tsc = path.join(here, "node_modules/typescript/bin/tsc");
  try {
    await promisify(execFile)(process.execPath, [tsc, "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext",
      "--target", "es2022", "--types", "node", path.join(dir, "golden.ts")], { cwd: here });
    return "";
  } catch (err) {
    assert.equal(err.code, 2, String(err));
    return err.stdout;
  }
}

const message = (name, value) => ({ name, type: "ChatPostMessageArguments", value: { channel: "C0DATA", ...value } });

test("every golden message and modal has the shape that @slack/types describes", async (t) => {
  const values = [];
  for (const file of (await readdir(golden)).filter((f) => f.endsWith(".json")).sort()) {
    const value = withoutOffset(JSON.parse(await readFile(path.join(golden, file), "utf8")));
    const name = "golden_" + path.basename(file, ".json").replaceAll("-", "_");
    values.push(value.type === "modal" ? { name, type: "ModalView", value } : value.type === "home" ? { name, type: "HomeView", value } : message(name, value));
  }
  assert.ok(values.some((v) => v.type === "ModalView") && values.length > 20, `${values.length} golden files with a modal among them`);
  assert.equal(await check(t, values), "");
});

// withoutOffset takes "offset": 0 off lists: Slack documents the field and the
// library dw uses always writes it, but @slack/types 3.2.0 does not know it. Any
// other offset stays, and tsc refuses it.
function withoutOffset(value) {
  if (Array.isArray(value)) return value.map(withoutOffset);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key, v]) => !(value.type === "rich_text_list" && key === "offset" && v === 0));
  return Object.fromEntries(kept.map(([key, v]) => [key, withoutOffset(v)]));
}

// Without this, a tsc that checks nothing would pass too.
test("tsc refuses what Slack would refuse by shape", async (t) => {
  const text = { type: "plain_text", text: "x" };
  const wrong = {
    unknown_block: { type: "poem", text },
    mrkdwn_in_header: { type: "header", text: { type: "mrkdwn", text: "x" } },
    bad_style: { type: "actions", elements: [{ type: "button", action_id: "a", text, style: "loud" }] },
    button_in_context: { type: "context", elements: [{ type: "button", action_id: "a", text }] },
    string_for_text: { type: "section", text: "x" },
  };
  const said = await check(t, [
    message("right", { text: "x", blocks: [{ type: "header", text }] }),
    ...Object.entries(wrong).map(([name, block]) => message(name, { text: "x", blocks: [block] })),
    { name: "modal_without_title", type: "ModalView", value: { type: "modal", blocks: [] } },
  ]);
  const lines = sourceLines(said);
  assert.equal(lines, Object.keys(wrong).length + 1, said);
});

// sourceLines counts the declarations that tsc complains of.
function sourceLines(said) {
  return new Set(said.split("\n").map((line) => /golden\.ts\((\d+),/.exec(line)?.[1]).filter(Boolean)).size;
}
