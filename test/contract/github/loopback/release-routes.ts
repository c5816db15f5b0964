import { createHash } from 'node:crypto';
import { type Exchange, notFound, paged, type Reply, type Route, unprocessable } from './exchange.ts';

export interface StoredRelease {
  readonly id: number;
  readonly tag: string;
  readonly assets: { readonly id: number; readonly name: string; readonly content: Buffer }[];
}
/** Releases and their assets. */
export class ReleaseRoutes {
  readonly releases: StoredRelease[] = [];
  #nextId = 9000;

  readonly routes: Record<string, Route> = {
    'repos/get-release-by-tag': (exchange) => this.#releaseByTag(exchange),
    'repos/list-release-assets': (exchange) => this.#listAssets(exchange),
    'repos/upload-release-asset': (exchange) => this.#uploadAsset(exchange),
    'repos/delete-release-asset': (exchange) => this.#deleteAsset(exchange),
  };

  #releaseByTag({ params, origin, path }: Exchange): Reply {
    const release = this.releases.find(({ tag }) => tag === params['tag']);
    if (release === undefined) return notFound();
    const upload_url = `${origin}${path.replace(/tags\/.*$/, '')}${release.id}/assets{?name,label}`;
    return { status: 200, body: { id: release.id, tag_name: release.tag, upload_url } };
  }

  #release({ params }: Exchange): StoredRelease | undefined {
    return this.releases.find(({ id }) => id === Number(params['release_id']));
  }

  #listAssets(exchange: Exchange): Reply {
    const release = this.#release(exchange);
    if (release === undefined) return notFound();
    const { page, headers } = paged(release.assets, exchange);
    return { status: 200, body: page.map(assetAnswer), headers };
  }

  #uploadAsset(exchange: Exchange): Reply {
    const release = this.#release(exchange);
    const name = exchange.query.get('name') ?? '';
    if (release === undefined) return notFound();
    if (release.assets.some((asset) => asset.name === name)) {
      return unprocessable('Validation Failed', [
        { resource: 'ReleaseAsset', code: 'already_exists', field: 'name' },
      ]);
    }
    this.#nextId += 1;
    const asset = { id: this.#nextId, name, content: exchange.raw };
    release.assets.push(asset);
    return { status: 201, body: assetAnswer(asset) };
  }

  #deleteAsset({ params }: Exchange): Reply {
    const id = Number(params['asset_id']);
    for (const { assets } of this.releases) {
      const at = assets.findIndex((asset) => asset.id === id);
      if (at >= 0) assets.splice(at, 1);
    }
    return { status: 204 };
  }
}

function assetAnswer(asset: { id: number; name: string; content: Buffer }) {
  const digest = `sha256:${createHash('sha256').update(asset.content).digest('hex')}`;
  const browser_download_url = `https://github.com/acme/robots/releases/download/v1/${encodeURIComponent(asset.name)}`;
  return { id: asset.id, name: asset.name, size: asset.content.length, digest, browser_download_url };
}
