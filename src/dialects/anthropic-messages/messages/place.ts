import { invalidValue } from "../../../canon/invalid-request.ts"
import type { JsonValue } from "../../../canon/json.ts"
import { wrongMember as wrongValue } from "../../shared/validation.ts"

/** Which block of which message: put into words only when something is wrong with it. */
export interface Place {
  readonly message: number
  /** Absent where the content is text and not a list of blocks. */
  readonly block?: number
  /** Of a block inside what a tool answered. */
  readonly inner?: number
}

/** `messages[0].content[1]`, as the parameter of an error. */
export function nameOf({ message, block, inner }: Place): string {
  let name = `messages[${message}].content`
  if (block !== undefined) name += `[${block}]`
  return inner === undefined ? name : `${name}.content[${inner}]`
}

/** A trouble that Anthropic's API has words of its own for; it names places in another way. */
export function refusal(place: Place, words: string): Error {
  const { message, block } = place
  const path = block === undefined ? `messages.${message}` : `messages.${message}.content.${block}`
  return invalidValue(nameOf(place), `${path}: ${words}`)
}

/** The error of a member that is missing, which null is too, or is not what it must be. */
export function wrongMember(value: JsonValue | undefined, name: string, expected: string): Error {
  return wrongValue(value ?? undefined, name, expected)
}
