import { join } from "node:path"
import { chat, receiptOf } from "./calls.ts"
import { EXAMPLES_FOLDER, startExample } from "./gateway.ts"
import { expectParts, run } from "./run.ts"

const PROGRAM = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const MODEL = "openai/gpt-5.4-mini"

/** Runs `setup.sh`, and calls the gateway with each key. */
export async function runReseller(work: string): Promise<void> {
  await using gateway = await startExample("reseller")
  const { url, installation, variables } = gateway
  const { config, data } = installation
  const program = [process.execPath, PROGRAM, "--config", config, "--data", data].join(" ")
  const script = join(EXAMPLES_FOLDER, "reseller/setup.sh")
  const output = await run([script], work, { ...variables, TOLLGATE: program })
  const keys = [...output.matchAll(/sk-tg-\w+/g)].map(([key]) => key)
  expectParts(output, [/TG-\w{4}-/])
  const expected = [["1.25"], ["1.25"], ["1.125", "0.9"]]
  if (keys.length !== expected.length) throw new Error(`setup.sh printed ${keys.length} keys`)
  for (const [position, key] of keys.entries()) {
    const caller = { url, key }
    const { price } = await receiptOf(caller, await chat(caller, MODEL))
    for (const factor of expected[position] ?? []) {
      expectParts(JSON.stringify(price), [`"multiplier":"${factor}"`])
    }
  }
}
