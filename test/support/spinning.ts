/**
 * Loaded before the program by a test (`BUN_OPTIONS=--preload`): JSON that holds a certain text stops the event
 * loop forever, as a fault of ours would.
 */
const SPIN = "spin-for-ever"

const parse = JSON.parse
JSON.parse = (text: string, reviver?: (key: string, value: unknown) => unknown): unknown => {
  if (typeof text === "string" && text.includes(SPIN)) for (;;);
  return parse(text, reviver)
}
