import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AGENTS } from "../agents/agents.ts"
import { type ExampleGateway, EXAMPLES_FOLDER } from "./gateway.ts"
import { expectParts, installFromNpm, run } from "./run.ts"

const ADDRESS = "http://127.0.0.1:8787"
const PROMPT = "Say hello in one word."

/** Runs Claude Code with the example's settings. */
export async function runClaudeCode(gateway: ExampleGateway, work: string): Promise<void> {
  const programs = await install("Claude Code", work)
  place(gateway, "claude-code/settings.json", join(work, ".claude"), "settings.json")
  const environment = { PATH: programs, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }
  expectParts(await run(["claude", "-p", PROMPT], work, environment), ["hello"])
  expectModel(gateway, "claude-sonnet-5")
}

/** Runs Codex with the example's settings. */
export async function runCodex(gateway: ExampleGateway, work: string): Promise<void> {
  const programs = await install("Codex", work)
  place(gateway, "codex/config.toml", join(work, ".codex"), "config.toml")
  const command = ["codex", "exec", "--skip-git-repo-check", PROMPT]
  const output = await run(command, work, { PATH: programs, TOLLGATE_KEY: gateway.key })
  expectParts(output, ["hello"])
  expectModel(gateway, "gpt-5.5")
}

/**
 * Installs the version that `npm run test:agents` installs.
 * @returns the path of the program.
 */
async function install(name: string, work: string): Promise<string> {
  const agent = AGENTS.find((one) => one.name === name)
  if (agent === undefined) throw new Error(`there is no agent ${name}`)
  const manifest = { private: true, allowScripts: { [agent.package]: true } }
  writeFileSync(join(work, "package.json"), JSON.stringify(manifest))
  await installFromNpm(work, `${agent.package}@${agent.version}`)
  return `${join(work, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`
}

/** Copies a settings file and inserts the gateway's address and key. */
function place({ url, key }: ExampleGateway, path: string, folder: string, name: string): void {
  const text = readFileSync(join(EXAMPLES_FOLDER, path), "utf8")
  expectParts(text, [ADDRESS])
  mkdirSync(folder)
  writeFileSync(join(folder, name), text.replaceAll(ADDRESS, url).replaceAll("sk-tg-...", key))
}

/**
 * Asserts that the provider has received a request for a model.
 * @throws otherwise.
 */
function expectModel({ simulator }: ExampleGateway, model: string): void {
  const bodies = simulator.requests.map(({ body }) => JSON.stringify(body))
  if (!bodies.some((body) => body.includes(model))) {
    throw new Error(`the provider has received no request for ${model}`)
  }
}
