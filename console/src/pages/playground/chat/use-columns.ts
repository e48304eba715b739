import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { modelsQuery } from "../../../api/models-query.ts"
import type { Column } from "../conversation.ts"
import { firstModel } from "../first-model.ts"

export const CHAT_KINDS: readonly Model["kind"][] = ["chat"]
const MAX_COLUMNS = 3

/** The models that respond: one, or up to three side by side. */
export interface Columns {
  readonly all: readonly Column[]
  readonly canAdd: boolean
  readonly setModel: (id: number, model: string) => void
  /** Adds a column with a model that no other column uses. */
  readonly add: () => void
  readonly remove: (id: number) => void
}

/** Holds the columns with their models. @param requested the initial model of the first column. */
export function useColumns(begun: readonly Column[], requested: string | undefined): Columns {
  const { data = [] } = useQuery(modelsQuery)
  const [chosen, setChosen] = useState(begun)
  const first = firstModel(data, CHAT_KINDS, requested)
  const all = chosen.map((column, index) =>
    index === 0 && column.model === null ? { ...column, model: first } : column,
  )

  function add(): void {
    const others = data.filter(({ id }) => all.every(({ model }) => model !== id))
    const id = Math.max(...all.map((column) => column.id)) + 1
    setChosen([...all, { id, model: firstModel(others, CHAT_KINDS, undefined) }])
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
