import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { modelsQuery } from "../../../api/models-query.ts"
import type { Column } from "../conversation.ts"
import { firstModel } from "../first-model.ts"

export const CHAT_KINDS: readonly Model["kind"][] = ["chat"]
const MAX_COLUMNS = 3
const NO_MODELS: readonly Model[] = []

/** The models that respond: one, or up to three side by side. */
export interface Columns {
  readonly all: readonly Column[]
  readonly canAdd: boolean
  readonly setModel: (id: number, model: string) => void
  /** Adds a column. It gets the first model that no other column uses. */
  readonly add: () => void
  readonly remove: (id: number) => void
}

/** Holds the columns with their models. @param requested the initial model of the first column. */
export function useColumns(begun: readonly Column[], requested: string | undefined): Columns {
  const { data = NO_MODELS } = useQuery(modelsQuery)
  const [chosen, setChosen] = useState(begun)
  const all = useMemo(() => withModels(chosen, data, requested), [chosen, data, requested])

  function add(): void {
    setChosen([...all, { id: Math.max(...all.map(({ id }) => id)) + 1, model: null }])
  }

  return {
    all,
    canAdd: all.length < MAX_COLUMNS,
    setModel: (id, model) => {
      setChosen(all.map((column) => (column.id === id ? { ...column, model } : column)))
    },
    add,
    remove: (id) => setChosen(all.filter((column) => column.id !== id)),
  }
}

/** Sets the model of columns without a model. Such columns can be added before the models are loaded. */
function withModels(
  chosen: readonly Column[],
  models: readonly Model[],
  requested: string | undefined,
): readonly Column[] {
  const used = new Set(chosen.map(({ model }) => model))
  return chosen.map((column, index) => {
    if (column.model !== null) return column
    const unused = models.filter(({ id }) => !used.has(id))
    const model = firstModel(unused, CHAT_KINDS, index === 0 ? requested : undefined)
    used.add(model)
    return { ...column, model }
  })
}
