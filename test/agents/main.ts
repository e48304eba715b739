import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { modelAt, SixUpstreams, type Upstream, UPSTREAMS } from "../clients/matrix/six-upstreams.ts"
import type { Agent } from "./agent.ts"
import { AGENTS } from "./agents.ts"
import { wrongIn } from "./expected.ts"
import { installAgents } from "./install.ts"
import { type Outcome, runTask } from "./run-task.ts"

/** Agents as npm has them, each with one task, before vendors of every dialect: `npm run test:agents -- [AGENT]`. */
const [only] = process.argv.slice(2)
const agents = AGENTS.filter((agent) => only === undefined || agent.tool === only)
const counts = { passed: 0, failed: 0, skipped: 0 }
/** A folder for what each of them sent and was answered. */
const record = process.env["TOLLGATE_AGENTS_RECORD"]
const MAX_REASON = 400

const missing = installAgents()
const upstreams = new SixUpstreams()
if (missing === undefined) await upstreams.start()
try {
  console.log("| agent | version | dialect | outcome |\n|---|---|---|---|")
  for (const agent of agents) {
    for (const upstream of UPSTREAMS) await tell(agent, upstream)
  }
} finally {
  if (missing === undefined) await upstreams.stop()
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exit(counts.failed === 0 ? 0 : 1)

async function tell(agent: Agent, upstream: Upstream): Promise<void> {
  const [outcome, reason] = await verdictOn(agent, upstream)
  counts[outcome]++
  const words = reason === undefined ? outcome : `${outcome}: ${inOneLine(reason)}`
  console.log(`| ${agent.name} | ${agent.version} | ${upstream} | ${words} |`)
}

async function verdictOn(
  agent: Agent,
  upstream: Upstream,
): Promise<readonly [keyof typeof counts, string?]> {
  if (missing !== undefined) return ["skipped", `npm did not install it: ${missing}`]
  const { gateway, caller } = upstreams
  try {
    const target = { url: gateway.url, key: caller.key, model: modelAt(upstream) }
    const outcome = await runTask(agent, target)
    if (record !== undefined) write(record, `${agent.name} ${upstream}`, outcome)
    const { fault, exchanges, output } = outcome
    const wrong = wrongIn(exchanges) ?? (fault && output.slice(-MAX_REASON))
    const reasons = [fault, wrong].filter((reason) => reason !== undefined)
    return reasons.length === 0 ? ["passed"] : ["failed", reasons.join(": ")]
  } catch (error) {
    return ["failed", error instanceof Error ? error.message : String(error)]
  }
}

function write(folder: string, name: string, outcome: Outcome): void {
  mkdirSync(folder, { recursive: true })
  const file = `${name.replaceAll(/\W+/g, "-")}.json`
  writeFileSync(join(folder, file), JSON.stringify(outcome, undefined, 2))
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, MAX_REASON)
}
