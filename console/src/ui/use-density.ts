import { useLocalStorage } from "@mantine/hooks"

export interface Density {
  /** Whether rows of tables are a single line. */
  readonly isCompact: boolean
  readonly setCompact: (isCompact: boolean) => void
}

/** Returns the density of all tables, which the browser stores. */
export function useDensity(): Density {
  const [isCompact, setCompact] = useLocalStorage({
    // Browsers may store an older default under another key. It is ignored, because the user did not choose it.
    key: "tollgate-dense-rows",
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  return { isCompact, setCompact }
}
