import { isStorableText } from "../canon/storable-text.ts"

/** The highest accepted amount, in a currency's smallest units. Stripe's amounts have fewer than twelve digits. */
const MAX_UNITS = 999_999_999_999
const MAX_TEXT_LENGTH = 255

/**
 * A Stripe event that cannot be applied. It is acknowledged, because Stripe would otherwise repeat it for three days.
 */
export class UnusableEvent extends Error {
  override readonly name = "UnusableEvent"
}

/** An object of Stripe's API. It is validated field by field, because even a signed event is untrusted input. */
export class StripeObject {
  readonly #fields: Readonly<Record<string, unknown>>

  /** @throws UnusableEvent if the value is not an object of this kind. */
  constructor(value: unknown, kind: string) {
    if (!isObject(value)) throw new UnusableEvent(`it contains no ${kind}`)
    if (value["object"] !== kind) throw new UnusableEvent(`its object is not a ${kind}`)
    this.#fields = value
  }

  /**
   * Returns a text.
   * @throws UnusableEvent
   */
  text(name: string): string {
    const value = this.#fields[name]
    if (isText(value)) return value
    throw new UnusableEvent(
      `'${name}' is not a text of 1 to ${MAX_TEXT_LENGTH} characters that can be stored`,
    )
  }

  /** Returns an amount in the currency's smallest units. @throws UnusableEvent */
  units(name: string): bigint {
    const value = this.#fields[name]
    const isUnits = Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_UNITS
    if (isUnits) return BigInt(Number(value))
    throw new UnusableEvent(`'${name}' is not a whole number from 0 to ${MAX_UNITS}`)
  }

  /**
   * Returns the currency.
   * @throws UnusableEvent
   */
  currency(): string {
    const value = this.#fields["currency"]
    if (typeof value === "string" && /^[a-z]{3}$/.test(value)) return value
    throw new UnusableEvent("'currency' is not a code of three lowercase letters")
  }

  /**
   * Returns the id of a referenced object, which may be included as an id or in full; undefined for null.
   * @throws UnusableEvent
   */
  reference(name: string): string | undefined {
    const value = this.#fields[name]
    if (value === null || value === undefined) return undefined
    const id = isObject(value) ? value["id"] : value
    if (isText(id)) return id
    throw new UnusableEvent(`'${name}' is not the id of an object`)
  }

  /**
   * Returns a state. It must be one of the known states.
   * @throws UnusableEvent
   */
  state<Known extends string>(name: string, known: readonly Known[]): Known {
    const found = known.find((one) => one === this.#fields[name])
    if (found !== undefined) return found
    throw new UnusableEvent(`'${name}' is not one of ${known.join(", ")}`)
  }

  /** Text values that were stored with the object. */
  get metadata(): Readonly<Record<string, unknown>> {
    const value = this.#fields["metadata"]
    return isObject(value) ? value : {}
  }

  isNull(name: string): boolean {
    return (this.#fields[name] ?? null) === null
  }
}

/** Returns the facts by which an event can be found in Stripe's dashboard. */
export function factsOf(event: unknown): {
  readonly id: string
  readonly type: string
  readonly object: string
} {
  const fields = isObject(event) ? event : {}
  const data = isObject(fields["data"]) ? fields["data"]["object"] : undefined
  const object = isObject(data) ? data["id"] : undefined
  return { id: shown(fields["id"]), type: shown(fields["type"]), object: shown(object) }
}

function shown(value: unknown): string {
  return isText(value) ? value : "unknown"
}

/** Returns the object that an event contains. */
export function objectOf(event: unknown): unknown {
  return isObject(event) && isObject(event["data"]) ? event["data"]["object"] : undefined
}

function isText(value: unknown): value is string {
  const isFitting = typeof value === "string" && value.length > 0 && value.length <= MAX_TEXT_LENGTH
  return isFitting && isStorableText(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
