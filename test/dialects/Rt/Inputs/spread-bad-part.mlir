rt.spread @train feeds [] fetches [] parts [{graph = @train.0, feeds = array<i32: 1>, fetches = array<i32>}]
