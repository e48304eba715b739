import { useLocalStorage } from "@mantine/hooks"

export interface Density {
  /** Whether rows of tables are a single line. */
  readonly isCompact: boolean
  readonly setCompact: (isCompact: boolean) => void
}

/** Returns the density of all tables, which the browser stores. */
export function useDensity(): Density {
  const [isCompact, setCompact] = useLocalStorage({
    key: "tollgate-rows-compact",
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  return { isCompact, setCompact }
}
