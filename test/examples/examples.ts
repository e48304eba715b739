import { callCompose, callLibreChat, callN8n, callOpenWebui } from "./applications.ts"
import { runClaudeCode, runCodex } from "./agents.ts"
import { chat, listModels } from "./calls.ts"
import { type ExampleGateway, startExample } from "./gateway.ts"
import { runAiSdk, runLangChain } from "./programs.ts"
import { runReseller } from "./reseller.ts"
import { runTeamSso } from "./team-sso.ts"

/** An example with its test. */
export interface Example {
  /** The name of the example's folder. */
  readonly name: string
  /** Whether the test installs a program from a registry. */
  readonly installs?: true
  /**
   * Tests the example.
   * @param work an empty folder.
   * @throws if the example does not work.
   */
  run(work: string): Promise<void>
}

/** All examples. */
export const EXAMPLES: readonly Example[] = [
  { name: "docker-compose", run: () => called("docker-compose", callCompose) },
  { name: "cursor", run: () => called("cursor", callCursor) },
  { name: "open-webui", run: () => called("open-webui", callOpenWebui) },
  { name: "librechat", run: () => called("librechat", callLibreChat) },
  { name: "n8n", run: () => called("n8n", callN8n) },
  { name: "reseller", run: runReseller },
  { name: "team-sso", run: runTeamSso },
  {
    name: "claude-code",
    installs: true,
    run: (work) => called("claude-code", (gateway) => runClaudeCode(gateway, work)),
  },
  {
    name: "codex",
    installs: true,
    run: (work) => called("codex", (gateway) => runCodex(gateway, work)),
  },
  {
    name: "langchain",
    installs: true,
    run: (work) => called("langchain", (gateway) => runLangChain(gateway, work)),
  },
  {
    name: "vercel-ai-sdk",
    installs: true,
    run: (work) => called("vercel-ai-sdk", (gateway) => runAiSdk(gateway, work)),
  },
]

async function called(
  name: string,
  call: (gateway: ExampleGateway) => Promise<void>,
): Promise<void> {
  await using gateway = await startExample(name)
  await call(gateway)
}

/** Sends the requests of Cursor, because it has no program that a test could start. */
async function callCursor(gateway: ExampleGateway): Promise<void> {
  await listModels(gateway)
  await chat(gateway, "anthropic/claude-sonnet-5")
}
