import { describeMachine, leaveGatewayCore } from "../machine.ts"
import type { BenchOptions, RaceOptions } from "../options.ts"
import { findSubjects } from "../subjects/find.ts"
import type { Running } from "../subjects/subject.ts"
import { startUpstream } from "../upstream.ts"
import { type AloneCourse, raceIdle, raceStart, raceUpload } from "./alone.ts"
import { Draw } from "./draw.ts"
import { Field } from "./field.ts"
import { raceLatency } from "./latency.ts"
import { type LoadName, LOADS } from "./loads.ts"
import { raceMemory } from "./long-memory.ts"
import type { ScenarioName } from "./plan.ts"
import { type RaceCourse, raceProcessor } from "./processor.ts"
import type { RaceResults } from "./results.ts"
import { checkRight } from "./right-responses.ts"

/** Milliseconds between the tokens of a stream. */
const CADENCE = 20

/** Races all requested subjects that can run on this machine. */
export async function race(options: BenchOptions, plan: RaceOptions): Promise<RaceResults> {
  const begun = performance.now()
  leaveGatewayCore()
  // The machine is described before the contestants make it busy.
  const machine = describeMachine()
  await using upstream = await startUpstream(CADENCE)
  const { subjects, missing } = await findSubjects(options.subjects, upstream, (running) =>
    checkRight("chat", running, upstream),
  )
  const field = new Field()
  const results: RaceResults = {
    date: new Date().toISOString(),
    isQuick: options.isQuick,
    seed: plan.seed,
    machine,
    effort: plan.effort,
    scenarios: plan.scenarios,
    contestants: subjects.map(({ name, work, ...subject }) => ({
      name,
      version: subject.version(),
      work,
    })),
    missing,
    rejections: field.rejections,
    processor: {},
    seconds: 0,
  }
  const { effort } = plan
  const alone: AloneCourse = { subjects, upstream, field, effort }
  await raceSideBySide(plan, alone, results)
  await report(plan, "start", async () => void (results.start = await raceStart(alone)))
  await Promise.all([raceLong(plan, alone, results), raceMoreMemory(plan, alone, results)])
  results.seconds = (performance.now() - begun) / 1_000
  return results
}

/** Runs the scenarios in which all subjects are running and one subject at a time receives requests. */
async function raceSideBySide(
  plan: RaceOptions,
  alone: AloneCourse,
  results: RaceResults,
): Promise<void> {
  const loads = (Object.keys(LOADS) as LoadName[]).filter((name) => plan.scenarios.includes(name))
  if (loads.length === 0 && !plan.scenarios.includes("latency")) return
  await using stack = new AsyncDisposableStack()
  const running = await startAll(alone, stack, [...loads, "latency"])
  const course: RaceCourse = { ...alone, running, draw: new Draw(plan.seed) }
  let warmUp = plan.effort.firstWarmUp
  for (const name of loads) {
    await report(plan, name, async () => {
      results.processor[name] = await raceProcessor(name, course, warmUp)
      warmUp = plan.effort.warmUp
    })
  }
  await report(plan, "latency", async () => void (results.latency = await raceLatency(course)))
}

/** Measures memory under a steady load. */
async function raceLong(
  plan: RaceOptions,
  alone: AloneCourse,
  results: RaceResults,
): Promise<void> {
  await report(plan, "memory", async () => {
    await using stack = new AsyncDisposableStack()
    const running = await startAll(alone, stack, ["memory"])
    results.memory = await raceMemory({ ...alone, running, draw: new Draw(plan.seed) })
  })
}

/**
 * Runs the other measurements of memory during the steady load. They use a separate vendor that has no other open
 * requests.
 */
async function raceMoreMemory(
  plan: RaceOptions,
  alone: AloneCourse,
  results: RaceResults,
): Promise<void> {
  await using upstream = await startUpstream(CADENCE)
  const apart = { ...alone, upstream }
  await report(plan, "idle", async () => void (results.idle = await raceIdle(apart)))
  await report(plan, "upload", async () => void (results.upload = await raceUpload(apart)))
}

/** Starts all subjects. A subject that does not start is removed from the scenarios. */
async function startAll(
  { subjects, upstream, field }: AloneCourse,
  stack: AsyncDisposableStack,
  scenarios: readonly ScenarioName[],
): Promise<readonly Running[]> {
  const running: Running[] = []
  for (const subject of subjects) {
    try {
      const prepared = stack.use(await subject.prepare(upstream))
      running.push(stack.use(await prepared.start()))
    } catch (error) {
      for (const scenario of scenarios) field.reject(scenario, subject.name, error)
    }
  }
  return running
}

async function report(
  { scenarios }: RaceOptions,
  name: ScenarioName,
  measure: () => Promise<void>,
): Promise<void> {
  if (!scenarios.includes(name)) return
  const begun = performance.now()
  await measure()
  process.stderr.write(`raced ${name}: ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`)
}
