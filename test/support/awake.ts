// Waiting in a process that has nothing else to do: the timers of signals alone do not keep it alive.
export async function awake<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, 60_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
