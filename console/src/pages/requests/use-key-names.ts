import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { keysQuery } from "../../api/queries.ts"

/** Returns the names of the loaded keys by id. */
export function useKeyNames(account: string | undefined): ReadonlyMap<string, string> {
  const keys = useQuery(keysQuery(account))
  return useMemo(() => new Map(keys.data?.data.map(({ id, name }) => [id, name])), [keys.data])
}
