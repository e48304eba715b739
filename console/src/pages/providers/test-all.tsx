import { Button, Group, Loader, Modal, Stack, Table, Text } from "@mantine/core"
import { useQueries } from "@tanstack/react-query"
import type { Provider } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { counted, durationText } from "../../format/numbers.ts"
import { Status } from "../../ui/status.tsx"

export interface TestAllProperties {
  readonly isOpen: boolean
  readonly providers: readonly Provider[]
  readonly onClose: () => void
}

/** Tests every provider and lists results and response times. */
export function TestAll({ isOpen, providers, onClose }: TestAllProperties) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Test all providers" size="lg">
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
          ? `${done.length} of ${counted(tests.length, "provider")} tested…`
          : `${counted(tests.length, "provider")} tested, ${failed === 0 ? "none failed" : `${failed} failed`}.`}
      </Text>
      <Table aria-label="Test results" verticalSpacing="xs">
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
          Test again
        </Button>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
