import { cpSync } from "node:fs"
import { join } from "node:path"
import { type ExampleGateway, EXAMPLES_FOLDER } from "./gateway.ts"
import { expectParts, installFromNpm, run } from "./run.ts"

/** Expected output. The simulator repeats the last message, and calls a tool that the text names. */
const EXPECTED = [/Say hello in one word/, /stream: Count to three/, /tool: .*Sunny/]

/** Installs the packages of `requirements.txt`, and runs `main.py`. */
export async function runLangChain(gateway: ExampleGateway, work: string): Promise<void> {
  cpSync(join(EXAMPLES_FOLDER, "langchain"), work, { recursive: true })
  const home = { HOME: process.env["HOME"] ?? "" }
  await run(["python3", "-m", "venv", "venv"], work, home)
  const pip = ["venv/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
  await run([...pip, "--requirement", "requirements.txt"], work, home)
  const output = await run(["venv/bin/python", "main.py"], work, variablesOf(gateway))
  expectParts(output, [...EXPECTED, /embeddings: \[\d+, \d+\]/])
}

/** Installs the packages of `package.json`, and runs `npm start`. */
export async function runAiSdk(gateway: ExampleGateway, work: string): Promise<void> {
  cpSync(join(EXAMPLES_FOLDER, "vercel-ai-sdk"), work, { recursive: true })
  await installFromNpm(work)
  const output = await run(["npm", "start"], work, variablesOf(gateway))
  expectParts(output, [...EXPECTED, /object: \{ city: /, /embeddings: \[ \d+, \d+ \]/])
}

function variablesOf({ url, key }: ExampleGateway): Record<string, string> {
  return { TOLLGATE_URL: url, TOLLGATE_KEY: key }
}
