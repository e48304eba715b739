import { useLocalStorage } from "@mantine/hooks"

export interface Density {
  /** Whether rows of tables are a single line. */
  readonly isCompact: boolean
  readonly setCompact: (isCompact: boolean) => void
}

/** Returns the density of all tables, which the browser stores. */
export function useDensity(): Density {
  const [isCompact, setCompact] = useLocalStorage({
    // Not the name that stored the former default, which browsers wrote without a choice of the user.
    key: "tollgate-dense-rows",
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  return { isCompact, setCompact }
}
