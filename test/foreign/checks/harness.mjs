import { deepStrictEqual } from "node:assert"

export const url = process.env.TOLLGATE_URL
export const key = process.env.TOLLGATE_KEY

/** One model for each dialect of a vendor. */
export const models = ["echo", "gpt", "claude", "gemini", "nova", "command"].map(
  (name) => `sandbox/${name}`,
)

const MOST_MILLISECONDS = 30_000

/** Runs one check and prints its result. */
export async function check(name, perform) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("it took too long")), MOST_MILLISECONDS)
  })
  try {
    await Promise.race([perform(), late])
    report({ name, outcome: "passed" })
  } catch (error) {
    report({ name, outcome: "failed", reason: reasonOf(error) })
  } finally {
    clearTimeout(timer)
  }
}

export function equal(actual, expected) {
  deepStrictEqual(actual, expected)
}

export function holds(condition, message) {
  if (!condition) throw new Error(message)
}

/** An image of one pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** One second of silence. */
export function wave() {
  const bytes = Buffer.alloc(44 + 32_000)
  bytes.write("RIFF", 0)
  bytes.writeUInt32LE(36 + 32_000, 4)
  bytes.write("WAVEfmt ", 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(16_000, 24)
  bytes.writeUInt32LE(32_000, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write("data", 36)
  bytes.writeUInt32LE(32_000, 40)
  return bytes
}

function report(outcome) {
  process.stdout.write(`check ${JSON.stringify(outcome)}\n`)
}

function reasonOf(error) {
  const body = error?.responseBody ?? error?.cause?.message ?? ""
  return `${error?.name}: ${error?.message} ${body}`.replace(/\s+/g, " ").slice(0, 400)
}
