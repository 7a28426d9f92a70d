// Opens a report in Firefox, goes through it, and prints what it saw as JSON.
//   node firefox.mjs FIREFOX ADDRESS WIDTH HEIGHT
import puppeteer from "puppeteer-core";

const [, , executablePath, address, width, height] = process.argv;
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: Number(width), height: Number(height) });
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(message.text()));
  await page.goto(address);
  await page.waitForSelector(".react-flow__node-operator");
  const count = await page.$$eval(".react-flow__node-operator", (boxes) => boxes.length);
  await page.keyboard.press("n");
  await page.waitForSelector("article h2");
  const operator = await page.$eval("article h2", (title) => title.textContent);
  await page.$$eval(".crumbs button", (buttons) => buttons[0].click());
  await page.waitForSelector(".sink");
  await page.$eval(".sink", (sink) => sink.click());
  await page.waitForSelector("button.primary");
  await page.$eval("button.primary", (button) => button.click());
  await page.waitForSelector(".op.parted");
  const overflows = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1);
  console.log(JSON.stringify({ count, operator, overflows, problems }));
} finally {
  await browser.close();
}
