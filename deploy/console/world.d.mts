export function worldMap(): Promise<{
  width: number; height: number; scale: number; x: number; y: number; land: string;
}>;
