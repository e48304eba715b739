import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { isJsonObject, type JsonObject } from "../canon/json.ts"
import { CommandError } from "./exit-codes.ts"
import type { JsonMembers, ToolSettings } from "../management/contract/tools.ts"

/** The file may hold a key. */
const PRIVATE = 0o600

/** What was written. */
export interface WrittenFile {
  readonly path: string
  /** A copy of what was there before. */
  readonly backup?: string
}

/**
 * Writes the settings of a tool where that takes nothing from its user: into a new file, or beside what a file of JSON says.
 * @throws CommandError where the file says what would be lost.
 */
export async function writeToolFile({ file, text }: ToolSettings): Promise<WrittenFile> {
  if (file === undefined) {
    throw new CommandError("usage", "This tool has no file for its settings.", "Leave out --write.")
  }
  const { path, members } = file
  const present = await textOf(path)
  if (present === undefined) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `${text}\n`, { mode: PRIVATE, flag: "wx" })
    return { path }
  }
  const settings = members && objectOf(present)
  if (settings === undefined) {
    throw new CommandError(
      "conflict",
      `${path} is there already, and adding to it could change what it says.`,
      "Run the command without --write, and add the lines yourself.",
    )
  }
  const backup = `${path}.before-tollgate`
  // The first copy is the one from before, however often this is done.
  if ((await textOf(backup)) === undefined) await copyFile(path, backup)
  await writeFile(path, `${JSON.stringify(merged(settings, members ?? {}), undefined, 2)}\n`)
  await chmod(path, PRIVATE)
  return { path, backup }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/** Undefined for what is no plain JSON: comments would be lost. */
function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function merged(present: JsonObject, members: JsonMembers): JsonObject {
  const result: JsonObject = { ...present }
  for (const [name, member] of Object.entries(members)) {
    const own = result[name]
    result[name] =
      typeof member === "string" ? member : merged(isJsonObject(own) ? own : {}, member)
  }
  return result
}
