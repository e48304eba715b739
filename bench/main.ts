/** Measures Tollgate, a bare proxy and its peers. See README.md in this folder. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describeMachine, leaveGatewayCore } from "./machine.ts"
import { measureConsole } from "./measure/console.ts"
import { measureLatency } from "./measure/latency.ts"
import { measureMemory } from "./measure/memory.ts"
import { measureChat, measureStream } from "./measure/processor-time.ts"
import { measureTail } from "./measure/tail.ts"
import { measureUpload } from "./measure/upload.ts"
import { measureTranscoding } from "./measure/transcoding.ts"
import { measureStart } from "./measure/start.ts"
import { measureObservation } from "./measure/observation.ts"
import { measureSize } from "./measure/size.ts"
import { measureStore } from "./measure/store.ts"
import { checkResponses } from "./load/check-response.ts"
import {
  type BenchOptions,
  type Part,
  type RaceOptions,
  readOptions,
  type SubjectName,
  USAGE,
} from "./options.ts"
import { publish } from "./race/publish.ts"
import { race } from "./race/race.ts"
import { formatReport } from "./report.ts"
import type { Results } from "./results.ts"
import { type Found, findSubjects } from "./subjects/find.ts"
import type { Subject } from "./subjects/subject.ts"
import { startUpstream } from "./upstream.ts"
import { validate } from "./targets.ts"

const RESULTS = join(import.meta.dir, "results")
const DOCS = join(import.meta.dir, "../docs/contribute")
const WRONG_USAGE = 2

async function measure(
  part: Part,
  subjects: readonly Subject[],
  options: BenchOptions,
  results: Results,
): Promise<void> {
  const { effort } = options
  switch (part) {
    case "chat":
      results.chat = await measureChat(subjects, effort)
      return
    case "stream":
      results.stream = await measureStream(subjects, effort)
      return
    case "transcode":
      results.transcode = await measureTranscoding(subjects, effort)
      return
    case "latency":
      results.latency = await measureLatency(subjects, effort)
      return
    case "tail":
      results.tail = await measureTail(subjects, effort)
      return
    case "memory":
      results.memory = await measureMemory(subjects, effort)
      return
    case "upload":
      results.upload = await measureUpload(subjects, effort)
      return
    case "start":
      results.start = await measureStart(subjects, effort)
      return
    case "store":
      results.store = await measureStore(effort)
      return
    case "observe":
      results.observation = await measureObservation(effort)
      return
    case "console":
      results.console = await measureConsole(effort)
      return
    case "size":
      results.size = await measureSize(options)
      return
  }
}

async function run(options: BenchOptions): Promise<number> {
  leaveGatewayCore()
  const { subjects, missing } = await findUsual(options.subjects)
  const results: Results = {
    date: new Date().toISOString(),
    isQuick: options.isQuick,
    machine: describeMachine(),
    subjects: subjects.map(({ name }) => name),
    missing,
  }
  for (const part of options.parts) {
    const begun = performance.now()
    process.stderr.write(`measuring ${part} ... `)
    await measure(part, subjects, options, results)
    write(results.date, results)
    process.stderr.write(`${((performance.now() - begun) / 1_000).toFixed(0)} s\n`)
  }
  const verdicts = validate(results)
  const file = write(results.date, { ...results, verdicts })
  console.log(`\n${formatReport(results)}\n\nall numbers: ${relative(process.cwd(), file)}`)
  // Without Tollgate, no target of the design was checked, so the run does not count as a success.
  const missed =
    missing["tollgate"] !== undefined || verdicts.some(({ verdict }) => verdict === "MISS")
  return missed && options.isStrict ? 1 : 0
}

async function findUsual(names: readonly SubjectName[]): Promise<Found> {
  await using upstream = await startUpstream(0)
  return await findSubjects(names, upstream, checkResponses)
}

/**
 * Writes the results of the parts that have been measured, so that an interrupted run keeps them.
 * @returns the path of the file.
 */
function write(date: string, results: object): string {
  mkdirSync(RESULTS, { recursive: true })
  const file = join(RESULTS, `${date.replaceAll(":", "-")}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return file
}

async function runRace(options: BenchOptions, plan: RaceOptions): Promise<number> {
  const results = await race(options, plan)
  const file = write(results.date, results)
  // The results of an incomplete race are not published.
  const folder = plan.isComplete ? DOCS : file.replace(/\.json$/, "")
  const page = publish(results, folder)
  const [shown, numbers] = [page, file].map((path) => relative(process.cwd(), path))
  console.log(`the page: ${shown}\nall numbers: ${numbers}`)
  return results.missing["tollgate"] !== undefined && options.isStrict ? 1 : 0
}

async function main(): Promise<number> {
  if (process.platform !== "linux") {
    console.error("The bench reads processor time from /proc, so it needs Linux.")
    return WRONG_USAGE
  }
  let options: BenchOptions | undefined
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return WRONG_USAGE
  }
  if (options?.race) return runRace(options, options.race)
  if (options) return run(options)
  console.log(USAGE)
  return 0
}

process.exitCode = await main()
