import { GatewayError } from "../canon/errors.ts"
import { pathName } from "../canon/invalid-request.ts"
import type { Finding } from "../config/finding.ts"
import { toSentence } from "./sentence.ts"

/** Maximum reported faults. */
const MAX_FAULTS = 50
const MAX_NAME_LENGTH = 100
/** Matches a complete sentence, which needs no subject. */
const WHOLE_SENTENCE = /^(the|this|there) /

interface Fault {
  readonly name: string
  /** A predicate that needs a subject, or a complete sentence. */
  readonly words: string
}

/**
 * Rejects an entry by the rules of the settings file, with the messages of these rules.
 * @param subject the subject of faults that have no name, such as `The provider`.
 * @param idName the parameter that contains the entry's name.
 * @throws GatewayError `invalid_value`. Its `errors` contain all faults, so that a form can show each one next to its
 * field.
 */
export function rejectFindings(
  findings: readonly Finding[],
  subject: string,
  idName: string,
): void {
  if (findings.length === 0) return
  const faults = findings.slice(0, MAX_FAULTS).map((finding) => faultOf(finding, idName))
  const [first = { name: "", words: "" }] = faults
  throw new GatewayError("invalid_value", sentence(first, subject), {
    ...(first.name !== "" && { parameter: first.name }),
    fields: {
      errors: faults.map((fault) => ({
        param: fault.name === "" ? null : fault.name,
        message: sentence({ ...fault, name: "" }, ""),
      })),
    },
  })
}

/** Builds the error for a fault that the rules of the settings file do not cover. */
export function rejected(parameter: string, message: string): GatewayError {
  return new GatewayError("invalid_value", message, {
    parameter,
    fields: { errors: [{ param: parameter, message }] },
  })
}

function faultOf({ path, message, name, lacking }: Finding, idName: string): Fault {
  // The entry's own name is invalid. The path of the fault then ends before the name.
  if (name !== undefined && WHOLE_SENTENCE.test(message) && path.length === 0) {
    return { name: idName, words: message }
  }
  const steps = [...path, ...(name === undefined ? [] : [name])]
  const shown = pathName(steps).slice(0, MAX_NAME_LENGTH) || (lacking ?? "")
  return { name: shown, words: message.replace(/^unknown name( '[^']*')?/, "is not known here") }
}

function sentence({ name, words }: Fault, subject: string): string {
  const isWhole = WHOLE_SENTENCE.test(words) || words.startsWith("needs ")
  const before = name === "" || isWhole ? subject : `'${name}'`
  const text = before === "" || WHOLE_SENTENCE.test(words) ? words : `${before} ${words}`
  return toSentence(text)
}
