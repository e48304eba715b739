import { inEnglish, type Translate } from "./english.ts"

/** The location of a tool's settings. */
export interface ToolPlace {
  /** The environment variable that sets the folder; absent if the tool has no such variable. */
  readonly variable?: string
  /** The folder, relative to the user's home, if no variable sets it; empty for the home folder itself. */
  readonly folder: string
  /** The path of the file, relative to the folder. */
  readonly file: string
}

export interface ConnectionFacts {
  /** The gateway's address, without `/v1`. */
  readonly url: string
  /** The key; undefined if the key is read from `TOLLGATE_KEY` or left as a placeholder. */
  readonly key: string | undefined
  readonly model: string
  /** The model for small tasks; the same model if absent. Only some tools have a setting for it. */
  readonly smallModel?: string | undefined
  /** Returns the path of a tool's file for display. */
  readonly pathOf: (place: ToolPlace) => string
  /** Translates instructions; English if absent. */
  readonly translate?: Translate
}

/** The settings of a tool for this gateway. */
export interface ToolSettings {
  /** The instruction shown before the text. */
  readonly words: string
  /** The contents of the file, or the steps to take. */
  readonly text: string
  /** The settings file; absent if the tool stores its settings elsewhere. */
  readonly file?: {
    readonly path: string
    /** The settings to merge into a JSON file. If absent, only a new file is written. */
    readonly members?: JsonMembers
    /** Whether the file is complete without a key. */
    readonly isWholeWithoutKey: boolean
  }
  /** Further steps after the file is written. */
  readonly after?: string
  /** A shell command that applies the settings. */
  readonly command?: string
}

export interface JsonMembers {
  readonly [name: string]: string | JsonMembers
}

/** The placeholder for a key. */
export const NO_KEY = "sk-tg-..."

/** Returns the step and the command that export a key as an environment variable, for tools that read it from there. */
export function exported(
  key: string,
  translate: Translate = inEnglish,
): Pick<ToolSettings, "after" | "command"> {
  return {
    after: translate("The key is taken from the environment:"),
    command: `export TOLLGATE_KEY=${key}`,
  }
}
