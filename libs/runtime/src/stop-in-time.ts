/**
 * Waits for a process's parts to stop, and no longer than the deadline: a part that waits for a database that is gone
 * must not keep the process. Rejects with what went wrong, or that it took too long.
 */
export async function stopInTime(stopping: Promise<void>, deadlineMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('something did not stop in time'));
    }, deadlineMs);
  });
  try {
    await Promise.race([stopping, late]);
  } finally {
    clearTimeout(timer);
  }
}
