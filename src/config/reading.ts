import { type SettingPath, UNRESOLVED, YamlNumber } from "./yaml-value.ts"

/**
 * The reason why a value is invalid, as the end of a sentence that starts with the setting's name.
 */
export class Fault {
  readonly message: string
  /** The path from the value that was read to the invalid value. */
  readonly path: SettingPath
  /** The invalid name below `path`, if a name is invalid instead of a value. */
  readonly name?: string

  constructor(message: string, path: SettingPath = [], name?: string) {
    this.message = message
    this.path = path
    if (name !== undefined) this.name = name
  }
}

/** The faults of an invalid value. There are none if the fault was reported when the file was parsed. */
export class Faults {
  readonly all: Fault[]

  constructor(...all: Fault[]) {
    this.all = all
  }

  /** Adds the faults of a part of the value. */
  addBelow(step: PropertyKey, { all }: Faults): void {
    for (const { message, path, name } of all) {
      this.all.push(new Fault(message, [step, ...path], name))
    }
  }
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The value that a reader returns. */
export type Output<Kind> = Kind extends Reader<infer Value> ? Value : never

/**
 * Reads and checks one kind of value. All settings together have a thousand readers, so creating a reader has to be
 * fast.
 */
export class Reader<Value> {
  /** Reads unvalidated data, in which undefined stands for an absent value. */
  readonly read: (input: unknown) => Value | Faults
  /** Returns the JSON Schema of valid data, for editors. */
  readonly form: () => JsonSchema
  /** Whether a value is required. */
  readonly isRequired: boolean

  constructor(read: (input: unknown) => Value | Faults, form: () => JsonSchema, isRequired = true) {
    this.read = (input) => (input === UNRESOLVED ? new Faults() : read(input))
    this.form = form
    this.isRequired = isRequired
  }

  /** Reads data, and returns only the first fault. */
  readOne(input: unknown): Value | Fault {
    const value = this.read(input)
    return value instanceof Faults ? (value.all[0] ?? new Fault("is not valid")) : value
  }

  /** Allows an absent value. */
  optional(): Reader<Value | undefined> {
    const read = (input: unknown) => (input === undefined ? undefined : this.read(input))
    return new Reader<Value | undefined>(read, this.form, false)
  }

  /** Allows an absent value, and a name without a value, which counts as absent. */
  nullish(): Reader<Value | undefined> {
    const form = () => ({ anyOf: [this.form(), { type: "null" }] })
    const read = (input: unknown) =>
      (input ?? undefined) === undefined ? undefined : this.read(input)
    return new Reader<Value | undefined>(read, form, false)
  }

  /** Reads this data if the value is absent. */
  orElse(data: unknown): Reader<Value> {
    const form = () => ({ default: data, ...this.form() })
    return new Reader((input) => this.read(input === undefined ? data : input), form, false)
  }

  transform<Other>(change: (value: Value) => Other): Reader<Other> {
    const read = (input: unknown): Other | Faults => {
      const value = this.read(input)
      return value instanceof Faults ? value : change(value)
    }
    return new Reader(read, this.form, this.isRequired)
  }

  /** Adds a rule for valid values. */
  check(faultsOf: (value: Value) => readonly Fault[]): Reader<Value> {
    const read = (input: unknown): Value | Faults => {
      const value = this.read(input)
      if (value instanceof Faults) return value
      const faults = faultsOf(value)
      return faults.length === 0 ? value : new Faults(...faults)
    }
    return new Reader(read, this.form, this.isRequired)
  }

  /** Adds a rule for valid values that has a single fault. */
  refine(isMet: (value: Value) => boolean, message: string): Reader<Value> {
    return this.check((value) => (isMet(value) ? [] : [new Fault(message)]))
  }
}

const STRING: JsonSchema = { type: "string" }
/** The JSON Schema of a secret text. */
export const SECRET_TEXT: JsonSchema = { type: "string", writeOnly: true }
/** The JSON Schema of a reference such as `${NAME}`, which may replace any value. */
export const REFERENCE: JsonSchema = { type: "string", pattern: "\\$\\{" }
export const TEXT_OR_NUMBER: JsonSchema = { type: ["string", "number"] }
/** A number or text, or `off`, which YAML 1.1 parses as false. */
export const TEXT_OR_OFF: JsonSchema = { anyOf: [TEXT_OR_NUMBER, { const: false }] }

/**
 * Creates a reader from a function that returns a value or its fault.
 * @param form the JSON Schema for editors; text if absent.
 */
export function reading<Value>(read: (input: unknown) => Value | Fault, form = STRING) {
  return new Reader<Value>(
    (input) => {
      const result = read(input)
      return result instanceof Fault ? new Faults(result) : result
    },
    () => form,
  )
}

/**
 * Creates a reader from a function that reads nonempty text.
 * @param form the JSON Schema for editors; text if absent.
 */
export function readingText<Value>(read: (text: string) => Value | Fault, form = STRING) {
  return reading((input) => {
    const text = readText(input)
    return text instanceof Fault ? text : read(text)
  }, form)
}

/** Reads nonempty text. */
export function readText(input: unknown): string | Fault {
  const text = readAnyText(input)
  return typeof text === "string" && text.trim() === ""
    ? new Fault("is empty. Give it a value, or remove the line")
    : text
}

/** Reads text, which may be empty. */
export function readAnyText(input: unknown): string | Fault {
  if (typeof input === "string") return input
  if (input === undefined) return new Fault("is missing")
  if (input === null) return new Fault("has no value. Give it one, or remove the line")
  const kind = kindOf(input)
  // Quotes would turn a list or a group of settings into text that the setting cannot read either.
  return new Fault(
    kind === undefined ? "must be text. Put it in quotes" : `must be text, but is ${kind}`,
  )
}

/** Returns the kind of a value that is neither text nor a number. */
export function kindOf(input: unknown): string | undefined {
  if (Array.isArray(input)) return "a list"
  if (typeof input !== "object" || input instanceof YamlNumber) return undefined
  return input instanceof Uint8Array ? "binary data" : "a group of settings"
}

/** Reads the text of a number, with or without quotes. Other text is returned unchanged. */
export function readNumberText(input: unknown): string | Fault {
  const text = readText(input instanceof YamlNumber ? input.source : input)
  return text instanceof Fault && typeof input === "boolean" ? new Fault("must be a number") : text
}
