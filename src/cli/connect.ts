import { homedir } from "node:os"
import { join, dirname } from "node:path"
import { Argument, InvalidArgumentError } from "commander"
import { addressOf } from "../app/address.ts"
import { runtimeConfigOf } from "../app/state.ts"
import { type Model, isPriced } from "../catalog/model.ts"
import { loadSettings } from "../config/load.ts"
import type { Settings } from "../config/settings.ts"
import type { Environment } from "../config/substitute.ts"
import { canBeKey } from "../keys/secret.ts"
import type { ToolPlace, JsonMembers, ToolSettings } from "#contract/tool-settings.ts"
import { type Tool, TOOLS, toolSettings } from "#contract/tools.ts"
import { familyModels, type ToolModels } from "#contract/tool-models.ts"
import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { modelToTry } from "../catalog/model-to-try.ts"
import { isJsonObject, type JsonObject } from "../canon/json.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { loadOptions } from "./load-options.ts"
import { wholeSettings } from "./whole-settings.ts"
import { systemCode } from "./system-code.ts"

interface ConnectOptions {
  readonly key?: string
  readonly model?: string
  readonly smallModel?: string
  readonly url?: string
  readonly write?: boolean
}

/** Tools read the key from this variable. */
const KEY_VARIABLE = "TOLLGATE_KEY"
/** The simulator's model, which is available if no vendor is configured. */
const SANDBOX_MODEL = "sandbox/echo"
/** Loopback addresses for calling a gateway that listens on all addresses, by the address it listens on. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** `tollgate connect TOOL` */
export const registerConnect: RegisterCommand = (program, terminal) => {
  program
    .command("connect")
    .description("print the settings that a tool needs to use this gateway")
    .addArgument(new Argument("<TOOL>", "name of the tool").choices(TOOLS))
    .option("--key <KEY>", "API key for the tool, such as sk-tg-...", keyArgument)
    .option(
      "--model <MODEL>",
      "model to select in the tool (default: the newest of the family that the tool is built for, or a cheap one)",
    )
    .option(
      "--small-model <MODEL>",
      "model for the small tasks of Claude Code (default: --model, or a cheap one)",
    )
    .option("--url <URL>", "base URL of the gateway (default: from the settings)", urlArgument)
    .option(
      "--write",
      "write the settings file of the tool, unless an existing setting would be lost",
    )
    .action(async (tool: Tool, options: ConnectOptions, command) => {
      const load = loadOptions(command)
      const { settings, lists } = await wholeSettings(load, loadSettings(load))
      const { url = urlOf(settings) } = options
      const models = runtimeConfigOf(settings, lists).config.catalog.list()
      const place = { url: url.replace(/(\/+v1)?\/*$/, ""), ...selected(tool, models, options) }
      const pathOf = pathIn(process.env)
      const shown = toolSettings(tool, { ...place, pathOf, key: options.key })
      const needsKey = options.write === true && shown.file?.isWholeWithoutKey === false
      const facts = { ...place, key: options.key ?? (needsKey ? keyToWrite() : undefined) }
      const connection = needsKey ? toolSettings(tool, { ...facts, pathOf }) : shown
      const written = options.write === true ? await writeToolFile(connection) : undefined
      const { text, file, after, command: run } = connection
      const { smallModel: small_model, ...shared } = facts
      const document = { tool, ...shared, small_model, settings: text, file: file?.path, written }
      outputOf(command, terminal).result(document, () =>
        [
          ...(written ? writtenWords(written) : [connection.words, "", text]),
          ...(after === undefined ? [] : ["", [after, run].filter(Boolean).join(" ")]),
        ].join("\n"),
      )
    })
}

/**
 * Returns the key for the tool's file.
 * @throws CommandError if there is no key, because the file would be useless.
 */
function keyToWrite(): string {
  const key = process.env[KEY_VARIABLE] ?? ""
  if (canBeKey(key)) return key
  throw new CommandError(
    "usage",
    "The file would contain no key.",
    `Add --key sk-tg-..., or set ${KEY_VARIABLE}.`,
  )
}

function keyArgument(text: string): string {
  if (canBeKey(text)) return text
  throw new InvalidArgumentError(
    "It must be a complete key, such as sk-tg-... with 43 more characters.",
  )
}

function urlArgument(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:\/\//i.test(text) && url.search + url.hash === "") return url.href
  throw new InvalidArgumentError("It must be an address such as https://ai.example.com.")
}

function pathIn(environment: Environment): (place: ToolPlace) => string {
  const home = environment["HOME"] || homedir()
  return ({ variable, folder, file }) =>
    join((variable && environment[variable]) || join(home, folder), file)
}

function writtenWords({ path, backup }: WrittenFile): string[] {
  return [
    `Written: ${path}`,
    ...(backup === undefined ? [] : [`Backup of the previous file: ${backup}`]),
  ]
}

function urlOf({ publicUrl, server: { host, port } }: Settings): string {
  return publicUrl ?? addressOf(EVERYWHERE[host] ?? host, port)
}

interface Selection {
  readonly model: string
  readonly smallModel: string
}

/**
 * Returns the models that the options name. A named model is also used for small tasks, because a key may allow no
 * other.
 */
function selected(
  tool: Tool,
  models: readonly Model[],
  { model, smallModel }: ConnectOptions,
): Selection {
  const found = modelsForTool(tool, models)
  const main = model ?? found.main?.id ?? SANDBOX_MODEL
  return { model: main, smallModel: smallModel ?? model ?? found.small?.id ?? main }
}

/** Returns the newest models of the families that a tool is built for, and otherwise the model for a first request. */
function modelsForTool(tool: Tool, models: readonly Model[]): ToolModels<Model> {
  const callable = models.filter(
    (model) => model.kind === "chat" && model.members === undefined && isPriced(model),
  )
  const { main, small } = familyModels(tool, callable)
  const other = modelToTry(models)
  return { main: main ?? other, small: small ?? other }
}

/** File mode that only allows the owner to read and write, because the file may contain a key. */
const PRIVATE = 0o600
const BY_HAND = "Run the command without --write, and add the lines yourself."
/** Matches a JSON string, or white space. */
const TEXT_OR_SPACE = /("(?:[^"\\]|\\.)*")|\s+/g

interface WrittenFile {
  readonly path: string
  /** Path of the copy of the previous file. */
  readonly backup?: string
}

/**
 * Writes the settings of a tool to a new file, or merges them into a JSON file. The user's settings are kept.
 * @throws CommandError if the file's content would be lost.
 */
async function writeToolFile({ file, text }: ToolSettings): Promise<WrittenFile> {
  if (file === undefined) {
    throw new CommandError("usage", "This tool has no file for its settings.", "Leave out --write.")
  }
  const { path, members } = file
  try {
    const present = await textOf(path)
    if (present === undefined) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, `${text}\n`, { mode: PRIVATE, flag: "wx" })
      return { path }
    }
    return { path, backup: await addTo(path, present, members) }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError("failed", `${path} cannot be written: ${reason}.`, BY_HAND)
  }
}

/**
 * Adds settings to a JSON file, following links.
 * @returns the path of the backup.
 */
async function addTo(path: string, present: string, members?: JsonMembers): Promise<string> {
  const settings = objectOf(present)
  const all = settings && members && merged(settings, members)
  if (all === undefined) {
    throw new CommandError(
      "conflict",
      `${path} already exists, and adding to it could change its settings.`,
      BY_HAND,
    )
  }
  const backup = `${path}.before-tollgate`
  // The first backup is kept, because it is the original.
  if ((await textOf(backup)) === undefined) await copyFile(path, backup)
  await writeFile(path, `${JSON.stringify(all, undefined, 2)}\n`)
  await chmod(path, PRIVATE)
  return backup
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    throw error
  }
}

/**
 * Parses a JSON object. Returns undefined for text that would change when it is written back, because it contains
 * comments, large numbers or duplicate members.
 */
function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isSame = JSON.stringify(value) === text.replace(TEXT_OR_SPACE, "$1")
    return isJsonObject(value) && isSame ? value : undefined
  } catch {
    return undefined
  }
}

/** Merges settings. Returns undefined if an existing value has a different type. */
function merged(present: JsonObject, members: JsonMembers): JsonObject | undefined {
  const result: JsonObject = { ...present }
  for (const [name, member] of Object.entries(members)) {
    const own = result[name] ?? {}
    const next = typeof member === "string" ? member : isJsonObject(own) && merged(own, member)
    if (next === false || next === undefined) return undefined
    result[name] = next
  }
  return result
}
