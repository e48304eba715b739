/**
 * The structure of `src/dialects`: every folder names its files by the same subjects, so that a reader who knows one
 * dialect finds the same content in another. A subject is a file, or a folder with files of any name.
 */

import { isOperationKind, MODEL_KIND_NAMES } from "#contract/model-kinds.ts"

type Presence = "required" | "optional"

/** The subjects of a chat format. `index` combines the others. */
export const CHAT_SUBJECTS: Readonly<Record<string, Presence>> = {
  index: "required",
  /** The body of a request, except subjects of their own. */
  request: "required",
  /** A whole answer. */
  result: "required",
  /** A streamed answer, event by event. */
  stream: "required",
  /** The conversation: turns, and the parts they consist of. */
  messages: "required",
  /** Tools, tool choice and calls. */
  tools: "required",
  reasoning: "optional",
  /** Images, audio and files. */
  media: "optional",
  /** The web search that the vendor runs. */
  search: "optional",
  citations: "optional",
  /** JSON schemas: of answers, and as vendors write them. */
  schema: "optional",
  /** Marks of the prompt cache. */
  cache: "optional",
  /** The finish reasons. */
  finish: "required",
  usage: "required",
  errors: "required",
  /** The features that the format can express, and the handling of others. */
  support: "required",
  /** Departures of vendors from the format. */
  quirks: "optional",
  /** The format's name, and the prefixes of its ids. */
  identifiers: "required",
  /** State that the vendor stores, and references to it. */
  state: "optional",
  /** The changes to a body that is otherwise passed on verbatim. */
  patches: "optional",
}

/** The subjects of every other operation. */
export const OPERATION_SUBJECTS: Readonly<Record<string, Presence>> = {
  /** As sent by the caller. */
  request: "required",
  /** As received by the caller. */
  result: "optional",
  /** The same response, event by event. */
  stream: "optional",
  errors: "optional",
  /** Each vendor's form: a file per format, and their common parts. */
  formats: "required",
}

const OPERATIONS: ReadonlySet<string> = new Set(MODEL_KIND_NAMES.filter(isOperationKind))

/** Helpers that dialects share, with any file name. */
export const SHARED = "shared"

/**
 * Returns all faults of the files below `src/dialects`, each a line for a person.
 * @param paths of all files of `src`, below it.
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

/** @param files their paths below the folder, step by step. */
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
