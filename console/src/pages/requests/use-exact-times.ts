import { useLocalStorage } from "@mantine/hooks"

/** Returns whether lists show dates and times instead of ages, which the browser stores. */
export function useExactTimes() {
  return useLocalStorage({
    key: "tollgate-times-exact",
    defaultValue: true,
    getInitialValueInEffect: false,
  })
}
