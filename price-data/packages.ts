import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Call, type Literal, readLiteral } from "./literals.ts"

/** A published list with its name, its package and its date. */
export interface PublishedList {
  readonly name: string
  readonly package: string
  readonly date: string
  readonly content: unknown
}

/** Releases of LiteLLM that contained malware. Their lists are not read. */
const COMPROMISED = new Set(["1.82.7", "1.82.8"])

/**
 * Downloads the newest packages that contain the three lists, and extracts the lists. The packages are neither
 * installed nor run.
 * @param today the date that is used for a list without a date.
 */
export async function downloadLists(today: string): Promise<PublishedList[]> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-lists-"))
  try {
    return [
      await modelsDevList(folder),
      await genaiPricesList(folder, today),
      await liteLlmList(folder, today),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the list of models.dev. It has no package of its own, but opencode's executable contains the complete list.
 */
async function modelsDevList(folder: string): Promise<PublishedList> {
  const packed = await run(folder, "npm", "pack", "--silent", "opencode-linux-x64@latest")
  await run(folder, "tar", "xzf", packed.trim(), "package/bin/opencode")
  const program = Buffer.from(await Bun.file(join(folder, "package/bin/opencode")).arrayBuffer())
  const content = modelsDevIn(program)
  const version = /-(?<version>\d[\d.]*)\.tgz/.exec(packed)?.groups?.["version"] ?? "?"
  const dates = JSON.stringify(content).matchAll(/"last_updated":"(?<day>\d{4}-\d\d-\d\d)"/g)
  const days = [...dates].map(({ groups }) => groups?.["day"] ?? "").toSorted()
  return { name: "models.dev", package: `opencode ${version}`, date: days.at(-1) ?? "", content }
}

/** Matches the start of the list in the executable, which is an object of providers. */
const FIRST_PROVIDER = /\{"?[\w-]+"?:\{id:"[\w-]+",env:\[/

/**
 * Returns the list of models.dev in the bytes of an executable.
 * @throws Error if the list is not found.
 */
export function modelsDevIn(program: Buffer): Literal {
  // Latin-1 has one byte per character, so positions in the text are also positions in the executable.
  const start = FIRST_PROVIDER.exec(program.toString("latin1"))?.index
  if (start === undefined) throw new Error("the program contains no list of models.dev")
  // The limit is far above the size of the list.
  return readLiteral(program.subarray(start, start + 50_000_000).toString("utf8"), 0)
}

async function genaiPricesList(folder: string, today: string): Promise<PublishedList> {
  const { wheel, version } = await pipDownload(folder, "genai-prices")
  await run(folder, "python3", "-m", "zipfile", "-e", wheel, "genai-prices")
  const source = await Bun.file(join(folder, "genai-prices/genai_prices/data.py")).text()
  const name = "genai-prices"
  const content = genaiPricesIn(source)
  return { name, package: `${name} ${version}`, date: newestDay(source, today), content }
}

/** Returns the list in the source of genai-prices' Python package. */
export function genaiPricesIn(source: string): Literal {
  const start = source.search(/^providers\b[^=]*=/m)
  return plain(readLiteral(source, source.indexOf("= [", start) + 2))
}

/** Replaces calls in the source of genai-prices with their values. */
function plain(value: Literal): Literal {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  if (!(value instanceof Call)) return mapped(value)
  if (value.name === "Decimal") return Number(value.ordered[0])
  if (value.name === "datetime.date") {
    return value.ordered.map((part) => String(part).padStart(2, "0")).join("-")
  }
  if (value.name === "datetime.time") return value.ordered.join(":")
  return mapped(value.named)
}

function mapped(record: { readonly [name: string]: Literal }): Literal {
  // `or_` and `and_` end with an underscore, because these words are reserved in Python.
  const entries = Object.entries(record).map(([name, each]) => [
    name.replace(/_$/, ""),
    plain(each),
  ])
  return Object.fromEntries(entries) as Literal
}

/** Returns the newest date of a price change that is not after today. */
function newestDay(source: string, today: string): string {
  const dates = source.matchAll(/datetime\.date\((\d+), (\d+), (\d+)\)/g)
  const days = [...dates].map(([, ...parts]) =>
    parts.map((part) => part.padStart(2, "0")).join("-"),
  )
  return (
    days
      .filter((day) => day <= today)
      .toSorted()
      .at(-1) ?? today
  )
}

async function liteLlmList(folder: string, today: string): Promise<PublishedList> {
  const { wheel, version } = await pipDownload(folder, "litellm")
  if (COMPROMISED.has(version)) throw new Error(`litellm ${version} carried malware`)
  await run(folder, "python3", "-m", "zipfile", "-e", wheel, "litellm-wheel")
  const path = "litellm-wheel/litellm/model_prices_and_context_window_backup.json"
  const content: unknown = await Bun.file(join(folder, path)).json()
  return { name: "LiteLLM", package: `litellm ${version}`, date: today, content }
}

async function pipDownload(folder: string, name: string) {
  const into = join(folder, `${name}-download`)
  await run(
    folder,
    "pip",
    "download",
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
    "-d",
    into,
    name,
  )
  const [file = ""] = await readdir(into)
  return { wheel: join(into, file), version: file.split("-")[1] ?? "?" }
}

async function run(folder: string, ...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" })
  const [output, problem] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${problem.trim()}`)
  return output
}
