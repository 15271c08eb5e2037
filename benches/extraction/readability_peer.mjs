// Reads {"id","url","html"} lines, writes {"id","text"} lines: @mozilla/readability on jsdom, as its README shows it.
import { createInterface } from "node:readline";
import { Readability } from "@mozilla/readability";
import { JSDOM, VirtualConsole } from "jsdom";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, url, html } = JSON.parse(line);
  let text = "";
  try {
    const page = new JSDOM(html, { url: url || "https://example.com/", virtualConsole: new VirtualConsole() });
    text = new Readability(page.window.document).parse()?.textContent ?? "";
    page.window.close();
  } catch {
    // A page that a peer cannot read is an empty answer.
  }
  process.stdout.write(JSON.stringify({ id, text }) + "\n");
}
