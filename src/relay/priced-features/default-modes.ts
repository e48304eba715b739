import type { JsonObject } from "../../canon/json.ts"
import { type Deployment, placeOf } from "../../catalog/model.ts"
import {
  type FieldSwitch,
  possibleMode,
  type Switches,
} from "../../vendors/priced-features/switch.ts"
import { isSet, type SetSwitch, valuesAt } from "./find-switches.ts"

/** Maximum number of deployments whose default modes are stored. The oldest are dropped. */
const MAX_DEPLOYMENTS = 1_000

/** A service mode that a response reports although its request did not name it. */
export interface UnrequestedMode {
  /** The field of the response that reports the mode. */
  readonly place: string
  /** The name of the mode in a price. */
  readonly key: string
  /** The highest price factor of the mode, in millionths. */
  readonly factor: bigint
}

/**
 * Default service modes, by deployment, that providers have reported since the process started. A provider's project
 * can have a default tier or region, which only its responses show.
 */
export class DefaultModes {
  readonly #byDeployment = new Map<string, Map<string, UnrequestedMode>>()

  get isEmpty(): boolean {
    return this.#byDeployment.size === 0
  }

  /** Returns the default modes of a deployment by the field of the response. */
  of(deployment: Deployment): ReadonlyMap<string, UnrequestedMode> | undefined {
    return this.isEmpty ? undefined : this.#byDeployment.get(placeOf(deployment))
  }

  /** Stores a reported mode. If several modes were reported in a field, the mode with the highest factor is kept. */
  learn(deployment: Deployment, mode: UnrequestedMode): void {
    const place = placeOf(deployment)
    const known = this.#byDeployment.get(place) ?? this.#added(place)
    const before = known.get(mode.place)
    if (before === undefined || before.factor < mode.factor) known.set(mode.place, mode)
  }

  #added(place: string): Map<string, UnrequestedMode> {
    const [oldest] = this.#byDeployment.keys()
    if (oldest !== undefined && this.#byDeployment.size >= MAX_DEPLOYMENTS) {
      this.#byDeployment.delete(oldest)
    }
    const added = new Map<string, UnrequestedMode>()
    this.#byDeployment.set(place, added)
    return added
  }
}

/** The field of the response that reports the mode. */
function placeIn({ served: [place = ""] = [] }: FieldSwitch): string {
  return place
}

/** Returns the default modes that apply to a body because it does not set their fields. */
export function defaultModesIn(
  body: JsonObject,
  { fields }: Switches,
  modes: ReadonlyMap<string, UnrequestedMode>,
): SetSwitch[] {
  // `auto` leaves the mode to the provider's project.
  const isNamed = ({ path }: FieldSwitch): boolean =>
    valuesAt(body, path).some(({ value }) => isSet(value) && value !== "auto")
  const named = new Set(fields.filter(isNamed).map(placeIn))
  return fields.flatMap((field) => {
    const place = placeIn(field)
    const mode = modes.get(place)
    if (mode === undefined || named.has(place)) return []
    named.add(place)
    return [{ place: field.path, value: mode.key, charge: possibleMode(mode.key), field }]
  })
}
