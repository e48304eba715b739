/**
 * Runs clients and test suites by other authors, unmodified and in exact versions, against a gateway with its sandbox.
 * They are installed below the system's folder for temporary files, or below `TOLLGATE_FOREIGN`. Words of the command
 * line select those whose names begin with them.
 */
import { copyFileSync, mkdirSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cleanEnvironment, createInstallation, startServing } from "../support/process.ts"
import { CLIENTS, type ForeignClient } from "./clients.ts"
import { install, interpreterOf } from "./install.ts"
import { type Row, readChecks, rowOf, skippedRow } from "./outcomes.ts"
import { SUITES } from "./suites/suites.ts"
import type { Target } from "./target.ts"

const CHECKS = Bun.fileURLToPath(new URL("checks/", import.meta.url))
const MAX_SECONDS = 600

async function runClient(client: ForeignClient, root: string, target: Target): Promise<Row> {
  const version = client.packages[0]?.split(/@(?=[\d])|==/).at(-1) ?? ""
  const problem = install(root, client)
  if (problem !== undefined) return skippedRow(client.name, version, problem)
  const folder = join(root, client.name)
  for (const file of readdirSync(CHECKS)) copyFileSync(join(CHECKS, file), join(folder, file))
  const child = Bun.spawn([interpreterOf(client), client.checks], {
    cwd: folder,
    env: cleanEnvironment({ TOLLGATE_URL: target.url, TOLLGATE_KEY: target.key }),
    stdout: "pipe",
    stderr: "pipe",
    timeout: MAX_SECONDS * 1_000,
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const checks = readChecks(output)
  if ((await child.exited) === 0 && checks.length > 0) return rowOf(client.name, version, checks)
  const reason = `it ended early: ${errors.trim().split("\n").slice(-3).join(" ")}`
  return rowOf(client.name, version, [...checks, { name: "run", outcome: "failed", reason }])
}

function printTable(rows: readonly Row[]): void {
  const heading = ["client", "version", "checks", "passed", "failed", "skipped"]
  const cells = rows.map(({ client, version, passed, failed, skipped }) =>
    [client, version, passed + failed + skipped, passed, failed, skipped].map(String),
  )
  const lines = [heading, ...cells]
  const widths = heading.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  )
  const pad = (line: readonly string[]) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  for (const line of lines) console.log(pad(line).join("  ").trimEnd())
}

async function main(): Promise<void> {
  const root = process.env["TOLLGATE_FOREIGN"] ?? join(tmpdir(), "tollgate-foreign")
  mkdirSync(root, { recursive: true })
  const words = process.argv.slice(2)
  const isChosen = (one: { readonly name: string }) =>
    words.length === 0 || words.some((word) => one.name.startsWith(word))
  using installation = createInstallation("server: { port: 0 }\n")
  await using serving = await startServing(installation)
  const key = /key: (sk-tg-\w+)/.exec(serving.output())?.[1]
  if (key === undefined) throw new Error(`the gateway printed no key:\n${serving.output()}`)
  const target = { url: serving.url, key }
  const rows: Row[] = []
  const add = (row: Row) => {
    rows.push(row)
    for (const note of row.notes) console.log(`${row.client}: ${note}`)
  }
  for (const client of CLIENTS.filter(isChosen)) add(await runClient(client, root, target))
  for (const suite of SUITES.filter(isChosen)) add(await suite.run(root, target))
  console.log("")
  printTable(rows)
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
  const failed = sum((row) => row.failed)
  console.log(
    `\n${sum((row) => row.passed)} passed, ${failed} failed, ${sum((row) => row.skipped)} skipped`,
  )
  process.exitCode = failed === 0 ? 0 : 1
}

await main()
