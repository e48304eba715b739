import { useQuery } from "@tanstack/react-query"

/**
 * Runs a test when its panel opens, and again on request.
 * @param key the name of the test, and the id of the tested object.
 */
export function useTestRun<Result>(key: readonly [string, string], run: () => Promise<Result>) {
  return useQuery({
    queryKey: key,
    queryFn: run,
    // Results are not cached. Each test calls another server, so it runs only on request.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
}
