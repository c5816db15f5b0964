import { createHash } from 'node:crypto';
import { type Exchange, notFound, paged, type Reply, type Route, unprocessable } from './exchange.ts';

export interface StoredRelease {
  readonly id: number;
  readonly tag: string;
  /** Default false. */
  readonly draft?: boolean;
  /** Published releases of this repository take no more files; default false. */
  readonly immutable?: boolean;
  readonly assets: { readonly id: number; readonly name: string; readonly content: Buffer }[];
}
/** Releases and their assets. */
export class ReleaseRoutes {
  readonly releases: StoredRelease[] = [];
  #nextId = 9000;

  readonly routes: Record<string, Route> = {
    'repos/get-release-by-tag': (exchange) => this.#releaseByTag(exchange),
    'repos/list-releases': (exchange) => this.#list(exchange),
    'repos/list-release-assets': (exchange) => this.#listAssets(exchange),
    'repos/upload-release-asset': (exchange) => this.#uploadAsset(exchange),
    'repos/delete-release-asset': (exchange) => this.#deleteAsset(exchange),
  };

  #releaseByTag({ params, origin, path }: Exchange): Reply {
    // A draft has no tag yet, whatever name it will have.
    const release = this.releases.find(({ tag, draft }) => tag === params['tag'] && draft !== true);
    if (release === undefined) return notFound();
    return { status: 200, body: releaseAnswer(release, `${origin}${path.replace(/tags\/.*$/, '')}`) };
  }

  #list(exchange: Exchange): Reply {
    const { page, headers } = paged(this.releases, exchange);
    const root = `${exchange.origin}${exchange.path}/`;
    return { status: 200, body: page.map((release) => releaseAnswer(release, root)), headers };
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
    if (release.immutable === true && release.draft !== true)
      return unprocessable('Cannot upload assets to an immutable release.');
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

function releaseAnswer({ id, tag, draft = false, immutable = false }: StoredRelease, root: string) {
  const upload_url = `${root}${id}/assets{?name,label}`;
  return { id, tag_name: tag, draft, immutable: immutable && !draft, upload_url };
}

function assetAnswer(asset: { id: number; name: string; content: Buffer }) {
  const digest = `sha256:${createHash('sha256').update(asset.content).digest('hex')}`;
  const browser_download_url = `https://github.com/acme/robots/releases/download/v1/${encodeURIComponent(asset.name)}`;
  return { id: asset.id, name: asset.name, size: asset.content.length, digest, browser_download_url };
}
