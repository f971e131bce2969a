// The page of the local workspace: sends a person's acts and follows changes.
// The HTML is drawn by the server; foreign text is never made into markup here.
"use strict";

const failures = {
  dispatch_failed: "The app is not connected, so your action failed.",
  operation_timeout: "The app did not respond in time, so your action failed.",
  invalid_app_response: "The app answered with something that cannot be shown.",
};

function banner(text) {
  const bar = document.getElementById("banner");
  bar.textContent = text;
  bar.hidden = text === "";
}

async function send(act, body) {
  body.user = document.body.dataset.user;
  let out;
  try {
    const answer = await fetch("/_dev/" + act, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    out = await answer.json();
  } catch (err) {
    out = { error: "The local workspace cannot be reached (" + err.message + ")." };
  }
  if (!out.error || out.error === "incomplete_input") {
    banner("");
    return true;
  }
  banner((failures[out.error] || out.error) + (out.detail ? " (" + out.error + ": " + out.detail + ")" : ""));
  return false;
}

// place says which message or view an element belongs to.
function place(element) {
  const view = element.closest("[data-view]");
  if (view) return { view: view.dataset.view };
  const message = element.closest(".message");
  return { channel: message.dataset.channel, ts: message.dataset.ts };
}

async function press(button) {
  const question = button.dataset.confirm;
  if (question && !window.confirm(question)) return;
  button.disabled = true;
  const ok = await send("click", { ...place(button), action: button.dataset.action });
  button.disabled = false;
  button.classList.toggle("failed", !ok);
}

// inputs collects what a person typed into a modal.
function inputs(form) {
  const values = {};
  for (const block of form.querySelectorAll(".b-input")) {
    const { block: id, action, kind } = block.dataset;
    const fields = [...block.querySelectorAll("input, textarea, select")];
    let value;
    if (kind === "checkboxes") value = fields.filter((f) => f.checked).map((f) => f.value);
    else if (kind === "radio_buttons") value = (fields.find((f) => f.checked) || { value: "" }).value;
    else if (kind === "multi_static_select") value = [...fields[0].selectedOptions].map((o) => o.value).filter(Boolean);
    else value = fields[0].value;
    values[id] = { ...values[id], [action]: value };
  }
  return values;
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-act]");
  if (!target || event.target.closest("a")) return;
  if (target.dataset.act === "click") press(target);
  if (target.dataset.act === "close") send("close", place(target));
});

document.addEventListener("change", (event) => {
  const target = event.target;
  if (target.id === "who") {
    const query = new URLSearchParams(location.search);
    query.set("user", target.value);
    query.set("channel", document.body.dataset.channel);
    location.search = query.toString();
  } else if (target.dataset.act === "choose") {
    send("click", { ...place(target), action: target.dataset.action, value: target.value });
  }
});

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  if (form.id === "composer") {
    const box = document.getElementById("command");
    const text = box.value.trim();
    const act = text.startsWith("/") ? "command" : "say";
    if (await send(act, { channel: document.body.dataset.channel, text })) box.value = "";
  } else {
    await send("submit", { view: form.dataset.view, values: inputs(form) });
  }
  button.disabled = false;
});

// swap takes one part of a freshly drawn page; a modal being filled in is left
// alone unless the app changed it.
function swap(fresh, id) {
  const old = document.getElementById(id);
  const next = fresh.getElementById(id);
  if (!old || !next || old.isEqualNode(next)) return;
  if (id === "modal") {
    if (old.dataset.key && old.dataset.key === next.dataset.key) return;
    keepTyped(old, next);
  }
  const scroll = old.querySelector(".scroll") || old;
  const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const top = scroll.scrollTop;
  old.replaceWith(document.adoptNode(next));
  const now = next.querySelector(".scroll") || next;
  now.scrollTop = atEnd ? now.scrollHeight : top;
  if (id === "modal") next.querySelector("input, textarea, select")?.focus();
}

// keepTyped carries what was typed into the same view drawn again with errors.
function keepTyped(old, next) {
  for (const block of old.querySelectorAll(".b-input")) {
    const key = `[data-block="${CSS.escape(block.dataset.block)}"]`;
    const twin = next.querySelector(".b-input" + key);
    if (!twin || twin.dataset.kind !== block.dataset.kind) continue;
    const fields = twin.querySelectorAll("input, textarea, select");
    block.querySelectorAll("input, textarea, select").forEach((field, i) => {
      if (!fields[i]) return;
      if (field.type === "checkbox" || field.type === "radio") fields[i].checked = field.checked;
      else fields[i].value = field.value;
    });
  }
}

let drawing = false;
let again = false;
async function redraw() {
  if (drawing) {
    again = true;
    return;
  }
  drawing = true;
  try {
    const answer = await fetch(location.href);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.getElementById("frame").className = fresh.getElementById("frame").className;
    if (document.activeElement?.id !== "who") swap(fresh, "bar");
    for (const id of ["side", "head", "messages", "thread", "modal"]) swap(fresh, id);
  } catch (err) {
    banner("The local workspace cannot be reached (" + err.message + ").");
  }
  drawing = false;
  if (again) {
    again = false;
    redraw();
  }
}

for (const area of document.querySelectorAll(".scroll")) area.scrollTop = area.scrollHeight;
const changes = new EventSource("/_dev/events");
changes.onmessage = redraw;
let away = false;
changes.onerror = () => {
  away = true;
  banner("The local workspace cannot be reached; trying again.");
};
changes.onopen = () => {
  if (away) banner("");
  away = false;
};
if (document.body.dataset.channel === "home") send("home", {});
