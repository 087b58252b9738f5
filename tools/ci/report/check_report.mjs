// Opens a report in Chromium as a reader would: node check_report.mjs REPORT.html FOLDER
//
// Fails on anything on the console, on any request but the page itself, on a page that takes a
// second to open, is wider than the screen, breaks an axe rule, or whose controls do not work.
// Leaves screenshots (light, dark, narrow) and a PDF in FOLDER.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const SECOND = 1000;
const TRIES = 5; // the fastest counts: a busy machine says nothing about the page
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const VIEWS = [
  { name: "light", width: 1280, colorScheme: "light", full: true },
  { name: "dark", width: 1280, colorScheme: "dark", full: true },
  { name: "narrow-light", width: 400, colorScheme: "light" },
];

const [file, folder] = process.argv.slice(2);
const url = pathToFileURL(file).href;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const faults = [];
const fault = (text) => faults.push(text);

async function open(browser, options) {
  const page = await browser.newPage({ ...options, reducedMotion: "reduce" });
  page.on("console", (message) => fault(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => fault(`script: ${error}`));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) fault(`request: ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

async function opensAtOnce(browser) {
  const times = [];
  for (let i = 0; i < TRIES; i++) {
    const page = await open(browser, { viewport: { width: 1280, height: 900 } });
    // The second frame after loading is on the screen.
    times.push(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() =>
      requestAnimationFrame(() => resolve(performance.now()))))));
    await page.close();
  }
  console.log(`   opened and painted in ${times.map((t) => t.toFixed(0)).join(", ")} ms`);
  if (Math.min(...times) >= SECOND) fault(`opening took ${Math.min(...times).toFixed(0)} ms at best`);
}

async function looksRight(browser, view) {
  const page = await open(browser, {
    viewport: { width: view.width, height: 900 },
    colorScheme: view.colorScheme,
  });
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) fault(`${view.name}: ${over} pixels wider than the screen`);
  // Everything drawn at once: for the screenshot, and so that axe sees all of it.
  await page.addStyleTag({ content: "figure { content-visibility: visible !important; }" });
  await page.screenshot({ path: `${folder}/report-${view.name}-top.png` });
  if (view.full) {
    await page.screenshot({ path: `${folder}/report-${view.name}.png`, fullPage: true, timeout: 120000 });
  }
  await page.locator("figure").first().screenshot({ path: `${folder}/report-${view.name}-figure.png` });
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"],
  }));
  for (const rule of found.violations) {
    fault(`${view.name}: axe ${rule.id}: ${rule.help}: ${rule.nodes[0].html.slice(0, 160)}`);
  }
  console.log(`   ${view.name}: axe passed ${found.passes.length} rules, broke ${found.violations.length}`);
  await page.close();
}

async function worksByKeyboard(browser) {
  const page = await open(browser, { viewport: { width: 1280, height: 900 } });
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement.className);
  if (first !== "skip") fault(`the first Tab reaches ${first || "nothing"}, not the skip link`);
  await page.keyboard.press("Enter");
  if ((await page.evaluate(() => document.activeElement.id)) !== "main") fault("the skip link leads nowhere");
  const before = await page.locator("td.ratio").allTextContents();
  const ways = await page.locator("#baseline option").count();
  await page.locator("#baseline").selectOption({ index: Math.min(2, ways - 1) });
  const after = await page.locator("td.ratio").allTextContents();
  if (ways < 2 || before.join() === after.join()) fault("another baseline changes no ratio");
  const chosen = await page.locator("#baseline").inputValue();
  const base = await page.locator(`tr[data-row="${chosen}"] td.verdict`).first().textContent();
  if (base !== "baseline") fault(`the row of the chosen baseline says ${base}`);
  const download = page.waitForEvent("download", { timeout: 10000 });
  await page.locator("[data-save]").first().click();
  const saved = readFileSync(await (await download).path(), "utf8");
  if (!JSON.parse(saved).benchmarks.length) fault("the saved JSON has no benchmarks");
  await page.close();
}

async function prints(browser) {
  const page = await open(browser, { viewport: { width: 1280, height: 900 }, colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  if (paper !== "rgb(255, 255, 255)") fault(`paper is printed ${paper}`);
  await page.pdf({ path: `${folder}/report.pdf`, format: "A4", printBackground: true });
  await page.close();
}

// Playwright gives every launch a fresh profile in a temporary folder.
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
try {
  console.log(`   Chromium ${browser.version()}`);
  await opensAtOnce(browser);
  await worksByKeyboard(browser);
  await prints(browser);
  for (const view of VIEWS) await looksRight(browser, view);
} finally {
  await browser.close();
}
for (const text of faults) console.log(`FAILED: ${text}`);
process.exit(faults.length ? 1 : 0);
