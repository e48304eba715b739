import { expect, test } from "bun:test"
import { reflow } from "../../scripts/reflow.ts"
import { noiseOf } from "../../bench/race/figures.ts"
import { formatPage } from "../../bench/race/page.ts"
import { FULL_RACE, QUICK_RACE } from "../../bench/race/plan.ts"
import { drawPlots } from "../../bench/race/plots.ts"
import type { RaceResults } from "../../bench/race/results.ts"
import type { Block } from "../../bench/measure/blocks.ts"

const WORK = { language: "Go", auth: "none", money: "none", durability: "none", log: "a | b" }

function one(value: number) {
  return { median: value, lowest: value * 0.9, highest: value * 1.1 }
}

function block(subject: string, strangersTime: number): Block {
  const counts = { responses: 10, frames: 0, chunks: 0, round: 0, processorTime: 500 }
  return { subject, strangersTime, duration: 1_000, ...counts }
}

function results(changes: Partial<RaceResults> = {}): RaceResults {
  const cost = (subject: string, ratio: number) => ({
    subject,
    ratio: one(ratio),
    microseconds: one(ratio * 50),
    ratios: [ratio],
    rounds: 5,
  })
  return {
    date: "2026-11-25T23:00:00.000Z",
    isQuick: false,
    seed: 1_234,
    machine: {
      processor: "a processor",
      cores: 2,
      memory: 8 * 1_048_576,
      kernel: "6",
      bun: "1.4.5",
      isPinned: true,
      durableWrite: { median: 300, p99: 900 },
      fileSystem: "ext4",
      load: 0.1,
    },
    effort: FULL_RACE,
    scenarios: ["chat", "latency", "memory"],
    contestants: ["bare", "other_gateway", "tollgate"].map((name) => ({
      name,
      version: "1.0",
      work: WORK,
    })),
    missing: { litellm: "not installed; try: npm run bench:peers -- litellm" },
    rejections: { anthropic: { bare: "400 <html>\n| not *here*" } },
    processor: {
      chat: {
        blocks: [block("bare", 1_000)],
        costs: [cost("bare", 1), cost("other_gateway", 40), cost("tollgate", 1.5)],
      },
    },
    latency: {
      latencies: [
        { subject: "direct", rate: 500, median: one(300), p99: one(900) },
        { subject: "tollgate", rate: 500, median: one(700), p99: one(2_000) },
        { subject: "other_gateway", rate: 50, median: one(7_000), p99: one(90_000) },
      ],
      blocks: [],
      stolen: 0,
    },
    memory: [
      {
        subject: "tollgate",
        atRest: 81_920,
        samples: [
          { second: 5, memory: 92_160 },
          { second: 600, memory: 95_232 },
        ],
        highest: 95_232,
        atEnd: 95_232,
        afterwards: 90_112,
        responses: 14_400,
        failures: 0,
      },
    ],
    seconds: 1_400,
    ...changes,
  }
}

function pageOf(found: RaceResults): string {
  return reflow(formatPage(found, drawPlots(found), "benchmark"))
}

test("the bench page begins with ratios, and lists subjects and failures", () => {
  const page = pageOf(results())
  expect(page.indexOf("## Against the bare proxy")).toBeLessThan(page.indexOf("## In numbers"))
  expect(page).toContain("| CPU per small chat, 32 callers | 1.00x | 40.0x | 1.50x |")
  expect(page).toContain("| CPU per small chat, 32 callers | 50.0 | 2000 | 75.0 |")
  expect(page).toContain("| latency p99 at 500 a second, ms | – | 90.0 (at 50) | 2.00 |")
  expect(page).toContain("The seed of the random order is 1234")
  expect(page).toContain("- litellm: not installed")
  expect(page).toContain("- anthropic, bare: 400 &lt;html&gt; \\| not \\*here\\*")
  expect(page).toContain("a \\| b")
  expect(page).toContain("](benchmark/memory.svg)")
  expect(page).not.toContain("NOISY")
  expect(page).not.toContain("QUICK")
  const prose = page.split("\n").filter((line) => !line.startsWith("|") && !line.startsWith("!["))
  expect(prose.filter((line) => line.length > 120)).toEqual([])
})

test("the bench page notes a short run and a busy machine at the top", () => {
  const quick = pageOf(results({ isQuick: true, effort: QUICK_RACE }))
  expect(quick.indexOf("QUICK")).toBeLessThan(quick.indexOf("##"))
  expect(quick).toContain("for 20 seconds")
  const [chat] = [results().processor.chat]
  const busy = results({
    processor: { chat: { costs: chat?.costs ?? [], blocks: [block("bare", 200_000)] } },
  })
  expect(noiseOf(busy)).toMatchObject({ strangers: 0.2, isNoisy: true })
  expect(pageOf(busy)).toContain("NOISY")
})

test("an unfinished bench scenario has no chart and no row", () => {
  const page = pageOf(results({ processor: {}, memory: [], scenarios: ["chat", "memory"] }))
  expect(page).toContain("### Small chat")
  expect(page).not.toContain("chat.svg")
  expect(page).not.toContain("memory.svg")
})
