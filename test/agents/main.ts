import { modelAt, SixUpstreams, type Upstream, UPSTREAMS } from "../clients/matrix/six-upstreams.ts"
import { type Agent, AGENTS } from "./agents.ts"
import { installAgents } from "./install.ts"
import { runTask } from "./run-task.ts"

/** Agents as npm has them, each with one task, before vendors of every dialect: `npm run test:agents -- [AGENT]`. */
const [only] = process.argv.slice(2)
const agents = AGENTS.filter((agent) => only === undefined || agent.tool === only)
const counts = { passed: 0, failed: 0, skipped: 0 }

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
  const [outcome, reason] = await outcomeOf(agent, upstream)
  counts[outcome]++
  const words = reason === undefined ? outcome : `${outcome}: ${reason.replaceAll(/\s+/g, " ")}`
  console.log(`| ${agent.package} | ${agent.version} | ${upstream} | ${words} |`)
}

async function outcomeOf(
  agent: Agent,
  upstream: Upstream,
): Promise<readonly [keyof typeof counts, string?]> {
  if (missing !== undefined) return ["skipped", `npm did not install it: ${missing}`]
  const { gateway, caller } = upstreams
  const target = { url: gateway.url, key: caller.key, model: modelAt(upstream) }
  const fault = await runTask(agent, target)
  return fault === undefined ? ["passed"] : ["failed", fault]
}
