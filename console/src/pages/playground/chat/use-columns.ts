import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { modelsQuery } from "../../models/models-query.ts"
import { firstModel } from "../first-model.ts"

export const CHAT_KINDS: readonly Model["kind"][] = ["chat"]

/** The models that respond: one, or two side by side. */
export interface Columns {
  readonly models: readonly (string | null)[]
  readonly isComparing: boolean
  readonly setModel: (column: number, model: string) => void
  /** Adds a second one next to the first. */
  readonly compare: () => void
  /** Keeps one of two. */
  readonly keep: (column: number) => void
}

/** The models of the columns; the first begins with what the address options for. */
export function useColumns(options: string | undefined): Columns {
  const { data = [] } = useQuery(modelsQuery)
  const [chosen, setChosen] = useState<readonly (string | null)[]>([null])
  const first = firstModel(data, CHAT_KINDS, options)
  const models = chosen.map((model, column) => model ?? (column === 0 ? first : null))

  function setModel(column: number, model: string): void {
    setChosen(models.map((known, other) => (other === column ? model : known)))
  }

  function compare(): void {
    const others = data.filter(({ id }) => id !== models[0])
    setChosen([models[0] ?? null, firstModel(others, CHAT_KINDS, undefined)])
  }

  return {
    models,
    isComparing: models.length > 1,
    setModel,
    compare,
    keep: (column) => setChosen([models[column] ?? null]),
  }
}
