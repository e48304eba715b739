import { Button, Group, Loader, Modal, Stack, Table, Text } from "@mantine/core"
import { useQueries } from "@tanstack/react-query"
import type { Provider } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { durationText } from "../../format/numbers.ts"
import { Status } from "../../ui/status.tsx"
import { t } from "../../languages/text.ts"

export interface TestAllProperties {
  readonly isOpen: boolean
  readonly providers: readonly Provider[]
  readonly onClose: () => void
}

/** Tests every provider and lists results and response times. */
export function TestAll({ isOpen, providers, onClose }: TestAllProperties) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t("Test all providers")} size="lg">
      {isOpen && <Results providers={providers} onClose={onClose} />}
    </Modal>
  )
}

function Results({ providers, onClose }: Omit<TestAllProperties, "isOpen">) {
  const tests = useQueries({
    queries: providers.map(({ id }) => ({
      queryKey: ["provider-test", id],
      queryFn: () => api("POST /providers/{id}/test", { path: { id } }),
      // Results are not cached. Each test calls the vendor, so it runs only on request.
      gcTime: 0,
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchInterval: false as const,
      retry: false,
    })),
  })
  const done = tests.filter(({ isFetching }) => !isFetching)
  const failed = done.filter(({ data }) => data?.ok !== true).length
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {done.length < tests.length
          ? t("{done} of {count, plural, one {# provider} other {# providers}} tested…", {
              done: done.length,
              count: tests.length,
            })
          : t(
              "{count, plural, one {# provider} other {# providers}} tested, {failed, plural, =0 {none failed} other {{failed} failed}}.",
              { count: tests.length, failed },
            )}
      </Text>
      <Table aria-label={t("Test results")} verticalSpacing="xs">
        <Table.Tbody>
          {providers.map(({ id }, index) => {
            const test = tests[index]
            return (
              <Table.Tr key={id}>
                <Table.Td>
                  <Text size="sm" fw={600} className="anywhere">
                    {id}
                  </Text>
                  <Text size="xs" c="dimmed" className="anywhere">
                    {test?.data?.message ?? test?.error?.message ?? ""}
                  </Text>
                </Table.Td>
                <Table.Td ta="right" className="figures">
                  {test?.data !== undefined && durationText(test.data.duration_ms)}
                </Table.Td>
                <Table.Td ta="right">
                  {test?.isFetching === true ? (
                    <Loader size="xs" />
                  ) : (
                    <Status value={test?.data?.ok === true ? "ok" : "failed"} />
                  )}
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          disabled={done.length < tests.length}
          onClick={() => tests.forEach((test) => void test.refetch())}
        >
          {t("Test again")}
        </Button>
        <Button onClick={onClose}>{t("Done")}</Button>
      </Group>
    </Stack>
  )
}
