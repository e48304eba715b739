import { queryClient } from "./queries.ts"

/** Refetches all queries whose paths start with one of the given paths, such as `/keys` or `/accounts/acc_1`. */
export async function refresh(...paths: readonly string[]): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [path] }) =>
      typeof path === "string" && paths.some((beginning) => path.startsWith(beginning)),
  })
}
