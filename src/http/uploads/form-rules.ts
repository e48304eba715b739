import { GatewayError } from "../../canon/errors.ts"
import { fileTooLarge } from "../../canon/form-file.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import type { FormError, FormLimits } from "../../wire/multipart.ts"
import { MAX_FIELDS_BYTES, shownName } from "./form-fields.ts"

/** The files that an endpoint accepts, by field. */
export type FileRules = Readonly<Record<string, FileRule>>

export interface FileRule {
  readonly count: number
  /** Maximum bytes of each file. */
  readonly bytes: number
}

/** Maximum number of fields. No form of an API has more. */
const MAX_FIELDS = 128
/** Maximum number of fields and files together. Each part requires work, even without a name. */
const MAX_PARTS = 256
/** Maximum bytes of one value, such as a prompt or a short voice sample in a data URL. */
const MAX_FIELD_BYTES = 1024 * 1024

export const FIELD_LIMITS: FormLimits = {
  parts: MAX_PARTS,
  fields: MAX_FIELDS,
  fieldBytes: MAX_FIELD_BYTES,
}

const FORM = /^multipart\/form-data\s*(;|$)/i

/**
 * Requires the content type of a form.
 * @throws GatewayError `unsupported_media_type`
 */
export function requireForm(type: string): void {
  if (FORM.test(type)) return
  const other = type === "" ? "" : `, not '${shownName(type)}'`
  throw new GatewayError(
    "unsupported_media_type",
    `The body must be a form: send 'content-type: multipart/form-data'${other}.`,
  )
}

/**
 * Rejects a body that exceeds the limits of its files and fields.
 * @throws GatewayError `file_too_large` or `body_too_large`.
 */
export function rejectLarge(bytes: number, rules: FileRules): void {
  const files = Object.entries(rules)
  const limit = files.reduce((sum, [, rule]) => sum + rule.count * rule.bytes, MAX_FIELDS_BYTES)
  if (bytes <= limit) return
  const [only, ...others] = files
  // If the endpoint accepts only one file, that file is too large.
  if (only && others.length === 0 && only[1].count === 1) {
    throw fileTooLarge(only[0], only[1].bytes)
  }
  throw new GatewayError(
    "body_too_large",
    `The form is larger than ${Math.floor(limit / 1024 / 1024)} MB.`,
  )
}

/**
 * Returns the rule for a file in a field.
 * @param count number of files in the field, including this one.
 * @throws GatewayError `invalid_value` if the endpoint accepts no file, or no more files, in this field.
 */
export function ruleOf(field: string, count: number, rules: FileRules): FileRule {
  const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
  if (!rule) {
    const known = Object.keys(rules).map((name) => `'${name}'`)
    const shown = shownName(field)
    throw invalidValue(shown, `Unknown file field '${shown}'. Send files in ${known.join(", ")}.`)
  }
  if (count > rule.count) {
    const max = rule.count === 1 ? "one file" : `at most ${rule.count} files`
    throw invalidValue(field, `The field '${field}' accepts ${max}.`)
  }
  return rule
}

/** Builds the error for a form that cannot be read. */
export function rejectionOf({ fault, field = "" }: FormError): GatewayError {
  const shown = shownName(field)
  switch (fault) {
    case "no-boundary":
      return new GatewayError(
        "unsupported_media_type",
        "The content type of the form has no boundary. Let the client library set that header.",
      )
    case "broken":
      return new GatewayError(
        "invalid_value",
        "The form ended before it was complete, or is not a form.",
      )
    case "unnamed-field":
      return new GatewayError("invalid_value", "The form has a field without a name.")
    case "too-many-fields":
      return new GatewayError("invalid_value", `The form has more than ${MAX_FIELDS} fields.`)
    case "too-many-parts":
      return new GatewayError(
        "invalid_value",
        `The form has more than ${MAX_PARTS} parts: fields and files. Send fewer.`,
      )
    case "field-too-long":
      return new GatewayError(
        "string_above_max_length",
        `The field '${shown}' is longer than ${MAX_FIELD_BYTES} bytes.`,
        { parameter: shown },
      )
  }
}
