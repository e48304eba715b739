import { GatewayError } from "../../../canon/errors.ts"
import type { Loss } from "../../../canon/extra.ts"
import type { SoundForm, SpeechRequest } from "../../../canon/speech.ts"

/** Two formats with the same samples. Each can be converted to the other. */
const PAIRED: Partial<Record<SoundForm, SoundForm>> = { wav: "pcm", pcm: "wav" }

/**
 * Returns the format to request from a vendor.
 * @param has the formats that the vendor supports.
 * @throws GatewayError `invalid_value` that names the formats available to the caller.
 */
export function formToAsk(wanted: SoundForm, has: readonly SoundForm[]): SoundForm {
  if (has.includes(wanted)) return wanted
  const paired = PAIRED[wanted]
  if (paired !== undefined && has.includes(paired)) return paired
  const made = has.flatMap((form) => PAIRED[form] ?? [])
  const names = [...new Set([...has, ...made])].map((form) => `'${form}'`).join(", ")
  throw new GatewayError(
    "invalid_value",
    `This model has no '${wanted}'. Its response_format can be: ${names}.`,
    { parameter: "response_format" },
  )
}

/** Returns losses for the fields of a request that a vendor does not support. */
export function lossesOf(
  request: SpeechRequest,
  carried: ReadonlySet<"speed" | "instructions">,
): Loss[] {
  const losses: Loss[] = []
  for (const name of ["speed", "instructions"] as const) {
    const isDefault = name === "speed" && request.speed === 1
    if (request[name] !== undefined && !isDefault && !carried.has(name)) {
      losses.push({ name, effect: "dropped" })
    }
  }
  for (const name of Object.keys(request.extra ?? {})) losses.push({ name, effect: "dropped" })
  return losses
}
