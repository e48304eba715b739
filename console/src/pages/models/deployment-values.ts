import type { Model, ModelEntry } from "tollgate-contract/catalog.ts"
import { t } from "../../languages/text.ts"

/** A deployment as a row of the form. */
export interface DeploymentValues {
  /** Identifies the row while rows are moved. */
  readonly row: number
  readonly provider: string
  readonly model: string
  /** The weight as typed. */
  readonly weight: string
  readonly isPaused: boolean
}

export function deploymentValues({ deployments }: Model): DeploymentValues[] {
  return deployments.map(({ provider, model, weight, is_paused: isPaused }, row) => ({
    row,
    provider,
    model,
    weight: String(weight),
    isPaused,
  }))
}

/** Returns the error of the list of deployments; undefined if the list is valid. */
export function deploymentsFault(values: readonly DeploymentValues[]): string | undefined {
  if (values.some(({ provider, model }) => provider === "" || model.trim() === "")) {
    return t("Each deployment needs a provider and the model's name there.")
  }
  if (values.some(({ weight }) => weightOf(weight) === undefined)) {
    return t("Weights are numbers from 0 to 1,000,000.")
  }
  const active = values.filter(({ isPaused }) => !isPaused)
  if (active.length === 0) return t("At least one deployment must not be paused.")
  if (active.every(({ weight }) => weightOf(weight) === 0)) {
    return t("At least one deployment needs a weight above 0.")
  }
  const places = values.map(({ provider, model }) => `${provider}/${model.trim()}`)
  const repeated = places.find((place, index) => places.indexOf(place) !== index)
  return repeated === undefined ? undefined : t("{name} is there twice.", { name: repeated })
}

/**
 * Builds the model's entry with these deployments. It keeps the other settings of the model and of
 * each deployment.
 */
export function entryWithDeployments(
  { entry }: Model,
  values: readonly DeploymentValues[],
): ModelEntry {
  const before = Array.isArray(entry?.["deployments"]) ? entry["deployments"] : []
  const kept = new Map(
    before.map((one: Readonly<Record<string, unknown>>) => [
      `${String(one["provider"])}/${String(one["model"])}`,
      one,
    ]),
  )
  return {
    ...entry,
    deployments: values.map(({ provider, model, weight, isPaused }) => {
      const { paused: _, ...others } = kept.get(`${provider}/${model.trim()}`) ?? {}
      return {
        ...others,
        provider,
        model: model.trim(),
        weight: weightOf(weight) ?? 1,
        ...(isPaused && { paused: true }),
      }
    }),
  }
}

/** Moves a value up or down by one place. */
export function moved<Value>(values: readonly Value[], index: number, by: -1 | 1): Value[] {
  const value = values[index]
  if (value === undefined || values[index + by] === undefined) return [...values]
  return values.toSpliced(index, 1).toSpliced(index + by, 0, value)
}

function weightOf(typed: string): number | undefined {
  const weight = Number(typed)
  return typed.trim() !== "" && weight >= 0 && weight <= 1_000_000 ? weight : undefined
}
