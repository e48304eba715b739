import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { isJsonObject, type JsonObject } from "../canon/json.ts"
import { CommandError } from "./exit-codes.ts"
import type { JsonMembers, ToolSettings } from "#contract/tool-settings.ts"

/** File mode that only allows the owner to read and write, because the file may contain a key. */
const PRIVATE = 0o600
const BY_HAND = "Run the command without --write, and add the lines yourself."
/** Matches a JSON string, or white space. */
const TEXT_OR_SPACE = /("(?:[^"\\]|\\.)*")|\s+/g

export interface WrittenFile {
  readonly path: string
  /** Path of the copy of the previous file. */
  readonly backup?: string
}

/**
 * Writes the settings of a tool to a new file, or merges them into a JSON file. The user's settings are kept.
 * @throws CommandError if the file's content would be lost.
 */
export async function writeToolFile({ file, text }: ToolSettings): Promise<WrittenFile> {
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
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
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
