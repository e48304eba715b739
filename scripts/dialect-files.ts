/**
 * Checks the structure of `src/dialects`. Every folder names its files by the same subjects, so that a reader who knows
 * one dialect finds the same content in another dialect. A subject is a file, or a folder with files of any name.
 */

import { isOperationKind, MODEL_KIND_NAMES } from "#contract/model-kinds.ts"

type Presence = "required" | "optional"

/** The subjects of a chat format. The file `index` combines the others. */
export const CHAT_SUBJECTS: Readonly<Record<string, Presence>> = {
  index: "required",
  /** The body of a request, except for the parts that are separate subjects. */
  request: "required",
  /** A response that is not streamed. */
  result: "required",
  /** A streamed response, event by event. */
  stream: "required",
  /** The conversation: turns and their parts. */
  messages: "required",
  /** Tools, tool choice and calls. */
  tools: "required",
  reasoning: "optional",
  /** Images, audio and files. */
  media: "optional",
  /** Web search by the vendor. */
  search: "optional",
  citations: "optional",
  /** JSON schemas of responses, and conversions of schemas to the vendors' forms. */
  schema: "optional",
  /** Cache markers in prompts. */
  cache: "optional",
  /** The finish reasons. */
  finish: "required",
  usage: "required",
  errors: "required",
  /** The features that the format supports, and how other features are handled. */
  support: "required",
  /** Deviations of vendors from the format. */
  quirks: "optional",
  /** The name of the format, and the prefixes of its ids. */
  identifiers: "required",
  /** State that the vendor stores, and references to it. */
  state: "optional",
  /** The changes to a body that is otherwise passed on unchanged. */
  patches: "optional",
}

/** The subjects of operations other than chat. */
export const OPERATION_SUBJECTS: Readonly<Record<string, Presence>> = {
  /** The request as sent by the caller. */
  request: "required",
  /** The response as received by the caller. */
  result: "optional",
  /** The streamed response, event by event. */
  stream: "optional",
  errors: "optional",
  /** The vendors' formats, one file each, and the parts that they share. */
  formats: "required",
}

const OPERATIONS: ReadonlySet<string> = new Set(MODEL_KIND_NAMES.filter(isOperationKind))

/** The folder of helpers that dialects share. Its files may have any name. */
export const SHARED = "shared"

/**
 * Returns all faults of the files below `src/dialects`, one readable line each.
 * @param paths the paths of all files in `src`, relative to it.
 */
export function checkDialectFiles(paths: readonly string[]): string[] {
  const folders = new Map<string, string[][]>()
  for (const path of paths) {
    const [module, folder = "", ...rest] = path.split("/")
    if (module !== "dialects" || folder === SHARED) continue
    folders.set(folder, [...(folders.get(folder) ?? []), rest])
  }
  return [...folders].flatMap(([folder, files]) => checkFolder(folder, files))
}

/** @param files the paths of the files relative to the folder, split into their parts. */
function checkFolder(folder: string, files: readonly (readonly string[])[]): string[] {
  const subjects = OPERATIONS.has(folder) ? OPERATION_SUBJECTS : CHAT_SUBJECTS
  const place = `dialects/${folder}`
  const faults: string[] = []
  const present = new Map<string, "file" | "folder">()
  for (const [first = "", ...rest] of files) {
    const subject = first.replace(/\.ts$/, "")
    const kind = rest.length === 0 ? "file" : "folder"
    if (!Object.hasOwn(subjects, subject)) {
      const known = Object.keys(subjects).join(", ")
      faults.push(`${place}/${[first, ...rest].join("/")}: '${subject}' is none of ${known}`)
    }
    if (rest.length > 1) faults.push(`${place}/${[first, ...rest].join("/")}: is too deep`)
    if ((present.get(subject) ?? kind) !== kind) {
      faults.push(`${place}/${subject}: is a file and a folder`)
    }
    present.set(subject, kind)
  }
  for (const [subject, presence] of Object.entries(subjects)) {
    if (presence === "required" && !present.has(subject)) {
      faults.push(`${place}: has no '${subject}'`)
    }
  }
  return faults
}
