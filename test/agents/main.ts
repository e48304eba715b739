import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Agent } from "./agent.ts"
import { AGENTS } from "./agents.ts"
import { AGENT_MODELS, startAgentGateway } from "./deployments.ts"
import { expectedFailure, wrongIn } from "./expected.ts"
import { installAgents } from "./install.ts"
import { runSession, type Turn } from "./run-session.ts"

/**
 * Runs agents from npm, each in one session with all models: `npm run test:agents -- [AGENT]`. Each session begins with
 * a different model.
 */
const [only = ""] = process.argv.slice(2)
const agents = AGENTS.filter(({ name }) => `${name},`.toLowerCase().startsWith(only.toLowerCase()))
const counts = { passed: 0, failed: 0, skipped: 0 }
/** The folder in which all requests and responses are recorded. */
const record = process.env["TOLLGATE_AGENTS_RECORD"]
const MAX_REASON = 400

const missing = installAgents()
if (missing === undefined) {
  await using gateway = await startAgentGateway()
  const { key } = await gateway.caller("100000")
  console.log("| agent | version | model | format | outcome |\n|---|---|---|---|---|")
  for (const agent of agents) await run(agent, gateway.url, key)
} else {
  counts.skipped = agents.length * AGENT_MODELS.length
  console.log(`npm did not install the agents: ${missing}`)
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exit(counts.failed === 0 ? 0 : 1)

async function run(agent: Agent, url: string, key: string): Promise<void> {
  const models = modelsFrom(AGENTS.indexOf(agent))
  const turns: Turn[] = []
  const onTurn = (turn: Turn) => {
    turns.push(turn)
    report(agent, turn.model, reasonAgainst(turn))
  }
  try {
    await runSession(agent, { url, key, models }, onTurn)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    for (const model of models.slice(turns.length)) report(agent, model, reason)
  }
  if (record !== undefined) write(record, agent.name, turns)
}

function modelsFrom(position: number): readonly [string, ...string[]] {
  const start = position % AGENT_MODELS.length
  const ids = [...AGENT_MODELS.slice(start), ...AGENT_MODELS.slice(0, start)].map(({ id }) => id)
  const [first = "", ...others] = ids
  return [first, ...others]
}

function report(agent: Agent, model: string, reason: string | undefined): void {
  const expected = reason && expectedFailure(agent.name, model)
  const outcome = reason === undefined ? "passed" : expected ? "skipped" : "failed"
  counts[outcome]++
  const words = reason === undefined ? outcome : `${outcome}: ${inOneLine(expected ?? reason)}`
  const format = AGENT_MODELS.find(({ id }) => id === model)?.format
  console.log(`| ${agent.name} | ${agent.version} | ${model} | ${format} | ${words} |`)
}

/** Returns the problem of a turn; undefined if there is none. */
function reasonAgainst({ fault, exchanges, output }: Turn): string | undefined {
  const wrong = wrongIn(exchanges) ?? (fault && output.slice(-MAX_REASON))
  const reasons = [fault, wrong].filter((reason) => reason !== undefined)
  return reasons.length === 0 ? undefined : reasons.join(": ")
}

function write(folder: string, name: string, turns: readonly Turn[]): void {
  mkdirSync(folder, { recursive: true })
  const file = `${name.replaceAll(/\W+/g, "-")}.json`
  writeFileSync(join(folder, file), JSON.stringify(turns, undefined, 2))
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, MAX_REASON)
}
