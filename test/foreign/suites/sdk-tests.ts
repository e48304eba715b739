import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cleanEnvironment } from "../../support/process.ts"
import { install } from "../install.ts"
import { type Check, type Row, rowOf, skippedRow } from "../outcomes.ts"
import { checkOut, type Source } from "../sources.ts"
import type { Target } from "../target.ts"
import { startAdapting } from "./adapting-proxy.ts"
import { MODELS } from "./models.ts"

interface SdkSuite {
  readonly name: string
  readonly package: string
  readonly source: Source
  /** The path that the client's base URL adds to the gateway's address. */
  readonly base: string
  /** Test files for endpoints that the gateway offers, below `tests/api-resources`. */
  readonly files: readonly string[]
}

const OPENAI: SdkSuite = {
  name: "openai-node",
  package: "openai@7.5.0",
  source: {
    repository: "openai/openai-node",
    commit: "7b7d6ca71130d37ec09792c50056b47861f2eccf",
  },
  base: "/v1",
  files: [
    "audio/speech",
    "audio/transcriptions",
    "audio/translations",
    "chat/completions/completions",
    "embeddings",
    "images",
    "models",
    "responses/responses",
  ],
}

const ANTHROPIC: SdkSuite = {
  name: "anthropic-sdk-typescript",
  package: "@anthropic-ai/sdk@1.12.0",
  source: {
    repository: "anthropics/anthropic-sdk-typescript",
    commit: "bfa9197f0182084941052be9752c948638421601",
  },
  base: "",
  files: ["messages/messages", "beta/messages/messages", "models", "beta/models"],
}

/** Runs the tests of OpenAI's client for endpoints that the gateway offers, with the client from npm. */
export function openaiNode(root: string, target: Target): Promise<Row> {
  return runTests(OPENAI, root, target)
}

/** Runs the tests of Anthropic's client for endpoints that the gateway offers, with the client from npm. */
export function anthropicTypescript(root: string, target: Target): Promise<Row> {
  return runTests(ANTHROPIC, root, target)
}

async function runTests(suite: SdkSuite, root: string, target: Target): Promise<Row> {
  const version = suite.package.split("@").at(-1) ?? ""
  const source = checkOut(root, suite.source)
  if ("problem" in source) return skippedRow(suite.name, version, source.problem)
  const client = { name: suite.name, language: "javascript", checks: "" } as const
  const problem = install(root, { ...client, packages: [suite.package, ...JEST] })
  if (problem !== undefined) return skippedRow(suite.name, version, problem)
  const folder = join(root, suite.name)
  const tests = suite.files.map((file) => `tests/api-resources/${file}.test.ts`)
  for (const file of tests) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(source.folder, file), join(folder, file))
  }
  writeFileSync(join(folder, "jest.config.json"), JSON.stringify(CONFIGURATION))
  const checks: Check[] = []
  for (const model of MODELS) {
    await using proxy = startAdapting(target, model)
    const report = join(folder, "report.json")
    rmSync(report, { force: true })
    const words = ["node_modules/.bin/jest", "--runInBand", "--json", `--outputFile=${report}`]
    const child = Bun.spawn(["node", ...words, ...tests], {
      cwd: folder,
      env: cleanEnvironment({ TEST_API_BASE_URL: `${proxy.url}${suite.base}` }),
      stdout: "ignore",
      stderr: "ignore",
    })
    await child.exited
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report
    checks.push(...testResults.flatMap((file) => checksOf(model, file)))
  }
  return rowOf(suite.name, version, checks)
}

const JEST = ["jest@30.5.2", "@swc/jest@0.2.39", "@swc/core@1.16.22"]
const CONFIGURATION = { testEnvironment: "node", transform: { "\\.ts$": "@swc/jest" } }

/** The members of Jest's report that are read. */
interface Report {
  readonly testResults: readonly TestFile[]
}

interface TestFile {
  readonly name: string
  readonly assertionResults: readonly {
    readonly title: string
    readonly status: string
    readonly failureMessages: readonly string[]
  }[]
}

function checksOf(model: string, file: TestFile): Check[] {
  const resource = file.name.replace(/^.*api-resources\//, "").replace(".test.ts", "")
  return file.assertionResults.map(({ title, status, failureMessages }) => {
    const name = `${model} ${resource} ${title}`
    if (status === "passed") return { name, outcome: "passed" }
    if (status !== "failed") return { name, outcome: "skipped", reason: "its own skip" }
    return { name, outcome: "failed", reason: failureMessages[0]?.split("\n")[0] ?? "" }
  })
}
